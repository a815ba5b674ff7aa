import { zstdDecompressSync } from 'node:zlib';
import { CompressionType } from 'apache-arrow/fb/compression-type';
import type { RecordBatch } from 'apache-arrow/ipc/metadata/message';
import { DecodeError, UnsupportedError } from '../columns/column-batch.ts';
import type { MemoryBudget } from '../columns/memory-budget.ts';
import { MAX_UNPACKED_BATCH_BYTES } from './limits.ts';
import { unpackLz4Frame } from './lz4-frame.ts';
import type { IpcMessage } from './messages.ts';
import type { RandomAccessFile } from './random-access-file.ts';

/**
 * One buffer of a record batch, read by ranges. `read` returns newly allocated memory that begins at its
 * first byte.
 */
export interface BodyBuffer {
  readonly length: number;
  read(start: number, end: number): Uint8Array<ArrayBuffer>;
}

/** The buffers of a message, in the order in which its columns consume them. */
export class Body {
  readonly #file: RandomAccessFile;
  readonly #at: IpcMessage;
  readonly #batch: RecordBatch;
  readonly #budget: MemoryBudget;
  #next = 0;
  #unpackedBytes = 0;

  constructor(file: RandomAccessFile, at: IpcMessage, batch: RecordBatch, budget: MemoryBudget) {
    this.#file = file;
    this.#at = at;
    this.#batch = batch;
    this.#budget = budget;
  }

  takeBuffer(): BodyBuffer {
    const region = this.#batch.buffers[this.#next++];
    if (region === undefined) throw new DecodeError('a record batch has fewer buffers than its columns need');
    const { offset, length } = region;
    if (!(offset >= 0 && length >= 0 && offset + length <= this.#at.bodyLength)) {
      throw new DecodeError('a buffer lies outside of its record batch');
    }
    const start = this.#at.body + offset;
    const { compression } = this.#batch;
    if (compression === null || length === 0) return this.#plain(start, length);
    const prefix = new DataView(this.#file.read(start, start + 8).buffer).getBigInt64(0, true);
    if (prefix === -1n) return this.#plain(start + 8, length - 8);
    return this.#packed(compression.type, start + 8, start + length, prefix);
  }

  #plain(start: number, length: number): BodyBuffer {
    return {
      length,
      read: (from, to) => {
        checkRange(from, to, length);
        this.#budget.grow(to - from);
        return this.#file.read(start + from, start + to);
      },
    };
  }

  #packed(type: CompressionType, start: number, end: number, claimed: bigint): BodyBuffer {
    if (claimed < 0n) throw new DecodeError('the length of a compressed buffer is negative');
    if (claimed > BigInt(MAX_UNPACKED_BATCH_BYTES - this.#unpackedBytes)) {
      throw new UnsupportedError(
        `A compressed record batch of more than ${MAX_UNPACKED_BATCH_BYTES >> 20} MiB`,
      );
    }
    const length = Number(claimed);
    this.#unpackedBytes += length;
    let unpacked: Uint8Array | undefined;
    return {
      length,
      read: (from, to) => {
        checkRange(from, to, length);
        this.#budget.grow(to - from);
        unpacked ??= unpack(type, this.#file.read(start, end), length);
        return new Uint8Array(unpacked.subarray(from, to));
      },
    };
  }
}

function unpack(type: CompressionType, data: Uint8Array, length: number): Uint8Array {
  try {
    const unpacked =
      type === CompressionType.ZSTD
        ? zstdDecompressSync(data, { maxOutputLength: Math.max(length, 1) })
        : unpackLz4Frame(data, length);
    if (unpacked.length === length) return unpacked;
  } catch (cause) {
    throw new DecodeError('a compressed buffer is corrupt', { cause });
  }
  throw new DecodeError('a compressed buffer does not unpack to the length it claims');
}

function checkRange(from: number, to: number, length: number): void {
  if (from < 0 || to < from || to > length)
    throw new DecodeError('a buffer is shorter than its column needs');
}
