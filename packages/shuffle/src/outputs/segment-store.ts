import { mkdirSync, rmSync, statfsSync } from 'node:fs';
import { type FileHandle, open, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32c } from '@node-rs/crc32';
import { noRoom } from '../space.ts';

export interface SegmentStoreOptions {
  /** Owned by the store (for spill files) and emptied when it is opened. */
  readonly directory: string;
  /** Segments beyond this size in total go to disk. */
  readonly memoryBytes: number;
  /** The maximum size on disk; by default nine tenths of the free space when the store is opened. */
  readonly diskBytes?: number | undefined;
  /** The name of the node, for errors. */
  readonly node: string;
}

/** Bytes of an output, in memory or in the output's spill file. */
export type Segment =
  | { readonly kind: 'memory'; readonly bytes: Uint8Array }
  | {
      readonly kind: 'disk';
      readonly file: SpillFile;
      readonly offset: number;
      readonly length: number;
      readonly crc32c: number;
    };

/** The fraction of the free disk space that spill files may use. */
const USABLE_SHARE = 0.9;
/** If the memory behind a segment is larger than the segment by this factor, the segment is copied. */
const WASTED = 1.25;

/** The memory and the disk space that the outputs of a node use. */
export class SegmentStore {
  readonly #options: SegmentStoreOptions;
  readonly #diskLimit: number;
  #memoryBytes = 0;
  #diskBytes = 0;
  #files = 0;

  constructor(options: SegmentStoreOptions) {
    this.#options = options;
    rmSync(options.directory, { recursive: true, force: true });
    mkdirSync(options.directory, { recursive: true, mode: 0o700 });
    const { bavail, bsize } = statfsSync(options.directory);
    this.#diskLimit = options.diskBytes ?? USABLE_SHARE * bavail * bsize;
  }

  get memoryBytes(): number {
    return this.#memoryBytes;
  }

  get diskBytes(): number {
    return this.#diskBytes;
  }

  /**
   * Keeps bytes of an output: in memory while the budget suffices, otherwise in its spill file.
   * @param recycle called when the store no longer needs the memory of the bytes
   */
  async keep(bytes: Uint8Array, file: SpillFile, recycle: () => void): Promise<Segment> {
    if (this.#memoryBytes + bytes.length <= this.#options.memoryBytes) {
      this.#memoryBytes += bytes.length;
      if (bytes.buffer.byteLength <= WASTED * bytes.length) return { kind: 'memory', bytes };
      const copy = Buffer.allocUnsafeSlow(bytes.length);
      copy.set(bytes);
      recycle();
      return { kind: 'memory', bytes: copy };
    }
    const { length } = bytes;
    if (this.#diskBytes + length > this.#diskLimit) throw noRoom(this.#options.node);
    this.#diskBytes += length;
    try {
      const offset = await file.append(bytes);
      const segment: Segment = { kind: 'disk', file, offset, length, crc32c: crc32c(bytes) };
      recycle();
      return segment;
    } catch (error) {
      this.#diskBytes -= length;
      throw isFull(error) ? noRoom(this.#options.node, error) : error;
    }
  }

  /** A file that is created with the first write and removed when it is closed. */
  spillFile(): SpillFile {
    return new SpillFile(join(this.#options.directory, String(++this.#files)));
  }

  forget(segment: Segment): void {
    if (segment.kind === 'memory') this.#memoryBytes -= segment.bytes.length;
    else this.#diskBytes -= segment.length;
  }
}

export async function segmentBytes(segment: Segment): Promise<Uint8Array> {
  if (segment.kind === 'memory') return segment.bytes;
  const { file, offset, length } = segment;
  const bytes = await file.read(offset, length);
  if (crc32c(bytes) !== segment.crc32c) throw new CorruptSegment();
  return bytes;
}

/** Thrown if a segment on disk differs from what was written. */
export class CorruptSegment extends Error {
  constructor() {
    super('its rows on disk have changed');
  }
}

export class SpillFile {
  readonly #path: string;
  #handle: Promise<FileHandle> | undefined;
  #end = 0;

  constructor(path: string) {
    this.#path = path;
  }

  /** Appends bytes and returns their offset. Only one call may run at a time. */
  async append(bytes: Uint8Array): Promise<number> {
    this.#handle ??= this.#open();
    const handle = await this.#handle;
    const offset = this.#end;
    for (let written = 0; written < bytes.length; ) {
      const { bytesWritten } = await handle.write(bytes, written, bytes.length - written, offset + written);
      written += bytesWritten;
    }
    this.#end = offset + bytes.length;
    return offset;
  }

  async read(offset: number, length: number): Promise<Uint8Array> {
    const bytes = Buffer.allocUnsafeSlow(length);
    const handle = await this.#handle!;
    for (let read = 0; read < length; ) {
      const { bytesRead } = await handle.read(bytes, read, length - read, offset + read);
      if (bytesRead === 0) throw new CorruptSegment();
      read += bytesRead;
    }
    return bytes;
  }

  async close(): Promise<void> {
    const handle = await this.#handle?.catch(() => undefined);
    await handle?.close();
  }

  /** The file is unlinked from the start, so its space is freed however the process ends. */
  async #open(): Promise<FileHandle> {
    const handle = await open(this.#path, 'wx+', 0o600);
    await unlink(this.#path);
    return handle;
  }
}

const isFull = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && ['ENOSPC', 'EDQUOT', 'EFBIG'].includes(error.code as string);
