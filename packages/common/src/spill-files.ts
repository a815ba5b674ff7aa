import { statfsSync } from 'node:fs';
import { type FileHandle, open, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { readInto, writeAt } from './file-io.ts';

/**
 * Freed files of at most this total size are kept for reuse: overwriting a file costs a tenth of writing a new
 * one.
 */
const MAX_SPARE_BYTES = 256 << 20;
/** A file is not kept if less than this would remain of it. */
const MIN_SPARE_BYTES = 1 << 20;
const ALIGNMENT = 8;
/** The fraction of the free space of their disk that the files may use. */
const USABLE_SHARE = 0.9;

/**
 * Files for rows that do not fit into memory. They are unlinked when they are opened, so that nothing remains
 * however the process ends.
 */
export class SpillFiles {
  readonly #directory: string;
  readonly #spare: { readonly handle: FileHandle; readonly size: number }[] = [];
  readonly #limitBytes: number;
  readonly #maxSpareBytes: number;
  #spareBytes = 0;
  #opened = 0;
  /** The bytes in files that are not freed. */
  usedBytes = 0;

  /**
   * @param directory exists, and has no files named `spill-…`
   * @param limitBytes the most that the files may hold; by default nine tenths of what is free on the disk now
   * @param maxSpareBytes how much of freed files is kept for reuse
   */
  constructor(directory: string, limitBytes?: number, maxSpareBytes = MAX_SPARE_BYTES) {
    this.#directory = directory;
    this.#maxSpareBytes = maxSpareBytes;
    const { bavail, bsize } = statfsSync(directory);
    this.#limitBytes = limitBytes ?? USABLE_SHARE * bavail * bsize;
  }

  /** @throws the error of the operating system */
  async take(): Promise<SpillFile> {
    const spare = this.#spare.pop();
    if (spare !== undefined) {
      this.#spareBytes -= spare.size;
      return new SpillFile(this, spare.handle, spare.size);
    }
    const path = join(this.#directory, `spill-${++this.#opened}`);
    const handle = await open(path, 'wx+', 0o600);
    await unlink(path);
    return new SpillFile(this, handle, 0);
  }

  /** Counts bytes that will be written. @throws Error with code ENOSPC if the files would exceed their limit */
  reserve(bytes: number): void {
    if (this.usedBytes + bytes > this.#limitBytes)
      throw Object.assign(new Error('no space left for spill files'), { code: 'ENOSPC' });
    this.usedBytes += bytes;
  }

  /**
   * Takes back a file that is no longer read. If the file is too large to be kept whole, its beginning is kept.
   */
  async give(handle: FileHandle, size: number): Promise<void> {
    const kept = Math.min(size, this.#maxSpareBytes - this.#spareBytes);
    if (kept < Math.min(size, MIN_SPARE_BYTES)) return handle.close();
    this.#spareBytes += kept;
    try {
      if (kept < size) await handle.truncate(kept);
      this.#spare.push({ handle, size: kept });
    } catch {
      this.#spareBytes -= kept;
      await handle.close();
    }
  }

  /** Closes the files that are not in use. */
  async close(): Promise<void> {
    await Promise.all(this.#spare.splice(0).map(({ handle }) => handle.close()));
    this.#spareBytes = 0;
  }
}

/** A file that is written at its end and read anywhere. */
export class SpillFile {
  readonly #files: SpillFiles;
  readonly #handle: FileHandle;
  /** The length of the file, including what an earlier use has left in it. */
  #size: number;
  /** The number of bytes that were written or are being written. */
  length = 0;

  constructor(files: SpillFiles, handle: FileHandle, size: number) {
    this.#files = files;
    this.#handle = handle;
    this.#size = size;
  }

  get fd(): number {
    return this.#handle.fd;
  }

  /**
   * Appends bytes and returns their offset, a multiple of 8. Only one call may run at a time. @throws the error
   * of the operating system
   */
  async append(bytes: Uint8Array): Promise<number> {
    const offset = Math.ceil(this.length / ALIGNMENT) * ALIGNMENT;
    const end = offset + bytes.length;
    this.#files.reserve(end - this.length);
    this.length = end;
    this.#size = Math.max(this.#size, end);
    await writeAt(this.#handle, bytes, offset);
    return offset;
  }

  /** Fills `into` with the bytes at an offset; returns false if the file ends before. */
  async read(into: Uint8Array, offset: number): Promise<boolean> {
    return (await readInto(this.#handle, into, offset)) === into.length;
  }

  /** Must be called once, when the file is no longer read or written. */
  free(): Promise<void> {
    this.#files.usedBytes -= this.length;
    return this.#files.give(this.#handle, this.#size);
  }
}
