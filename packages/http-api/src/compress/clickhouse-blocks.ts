import { createRequire } from 'node:module';
import { cityHash128 } from './cityhash128.ts';

const require = createRequire(import.meta.url);

const CHECKSUM_BYTES = 16;
/** The size of the method, the compressed size and the uncompressed size. */
const HEADER_BYTES = 9;
const LZ4 = 0x82;
const BLOCK_BYTES = 512 * 1024;

/**
 * Writes the compressed blocks of ClickHouse's format, which `compress=1` requests. A block consists of the
 * CityHash128 of the bytes that follow (low word first), the method, the size of header and data, the
 * uncompressed size, and an LZ4 block; integers are little-endian. Blocks hold 512 KiB, the last one less. An
 * empty input produces no block.
 */
export class ClickHouseBlocks {
  #pending: Uint8Array[] = [];
  #pendingBytes = 0;

  /** Adds `bytes` and returns the blocks that they complete. */
  add(bytes: Uint8Array): Buffer[] {
    const blocks: Buffer[] = [];
    let rest = bytes;
    while (this.#pendingBytes + rest.length >= BLOCK_BYTES) {
      const cut = BLOCK_BYTES - this.#pendingBytes;
      this.#pending.push(rest.subarray(0, cut));
      rest = rest.subarray(cut);
      blocks.push(this.#take());
    }
    if (rest.length > 0) {
      this.#pending.push(rest);
      this.#pendingBytes += rest.length;
    }
    return blocks;
  }

  /** Returns the last block, if bytes remain. */
  end(): Buffer[] {
    return this.#pendingBytes > 0 ? [this.#take()] : [];
  }

  #take(): Buffer {
    const block = encodeBlock(Buffer.concat(this.#pending));
    this.#pending = [];
    this.#pendingBytes = 0;
    return block;
  }
}

function encodeBlock(content: Buffer): Buffer {
  // The library is loaded for the first client that wants this format. It writes the size of the content before the block, where
  // the header has it too.
  const { compressSync } = require('lz4-napi') as typeof import('lz4-napi');
  const sized = compressSync(content);
  const methodAndSize = CHECKSUM_BYTES + HEADER_BYTES - 4;
  const block = Buffer.allocUnsafe(methodAndSize + sized.length);
  block[CHECKSUM_BYTES] = LZ4;
  block.writeUInt32LE(HEADER_BYTES - 4 + sized.length, CHECKSUM_BYTES + 1);
  sized.copy(block, methodAndSize);
  const { low, high } = cityHash128(block.subarray(CHECKSUM_BYTES));
  block.writeBigUInt64LE(low, 0);
  block.writeBigUInt64LE(high, 8);
  return block;
}
