import { type FileHandle, open, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { fail, TesseraError } from '@tessera/common';
import { freeSpent } from './spent-memory.ts';

/**
 * Less than a chunk of a decoder, so that such a chunk is written while the processor's cache still holds it: two chunks at a time
 * take twice the time in the system.
 */
const BATCH_BYTES = 512 * 1024;
/** Fewer than the number of buffers that one system call accepts (IOV_MAX is 1024). */
const BATCH_BUFFERS = 512;
const BATCHES_IN_FLIGHT = 2;
const DISK_CHECK_BYTES = 64 * 1024 * 1024;

export interface FileWriterOptions {
  /** The free space that must remain on the disk. */
  readonly diskReserveBytes: number;
  /** A description of the file for the error DISK_FULL. */
  readonly what: string;
  /** Whether nobody else reads a chunk's memory once its last byte was passed to `write`. */
  readonly ownsChunks: boolean;
}

/**
 * Writes a new file from chunks of any size in large batches, with a bounded number of batches at a time. It
 * references the chunks until they are written. Fails with DISK_FULL; after a failure only `abandon` may be
 * called.
 */
export class FileWriter {
  bytes = 0;
  readonly #file: FileHandle;
  readonly #path: string;
  readonly #options: FileWriterOptions;
  #batch: Buffer[] = [];
  #batchBytes = 0;
  #flushedBytes = 0;
  #checkedAtBytes = 0;
  readonly #inFlight = new Set<Promise<void>>();
  #failure: unknown;
  /**
   * Batches are freed in the order of the file, because a chunk may share its memory with the previous one.
   */
  #freed: Promise<unknown> = Promise.resolve();

  static async create(path: string, options: FileWriterOptions): Promise<FileWriter> {
    await requireFreeDisk(path, options);
    return new FileWriter(await open(path, 'wx', 0o600), path, options);
  }

  private constructor(file: FileHandle, path: string, options: FileWriterOptions) {
    this.#file = file;
    this.#path = path;
    this.#options = options;
  }

  /** Accepts a chunk. Resolves at once if there is room, otherwise when a batch has been written. */
  async write(chunk: Buffer): Promise<void> {
    this.#batch.push(chunk);
    this.#batchBytes += chunk.length;
    this.bytes += chunk.length;
    if (this.#batchBytes >= BATCH_BYTES || this.#batch.length >= BATCH_BUFFERS) await this.#flush();
  }

  /** Writes all remaining data and closes the file. */
  async finish(): Promise<void> {
    await this.#flush();
    await Promise.all(this.#inFlight);
    this.#throwFailure();
    await this.#file.close();
  }

  /** Closes the file in its current state. */
  async abandon(): Promise<void> {
    await Promise.all(this.#inFlight);
    await this.#file.close();
  }

  async #flush(): Promise<void> {
    while (this.#inFlight.size >= BATCHES_IN_FLIGHT) await Promise.race(this.#inFlight);
    this.#throwFailure();
    if (this.#flushedBytes - this.#checkedAtBytes >= DISK_CHECK_BYTES) {
      this.#checkedAtBytes = this.#flushedBytes;
      await requireFreeDisk(this.#path, this.#options);
    }
    if (this.#batchBytes === 0) return;
    const batch = this.#batch;
    const write = this.#writeAll(batch, this.#flushedBytes)
      .catch((error: unknown) => {
        this.#failure ??= diskFull(error, this.#options);
      })
      .finally(() => this.#inFlight.delete(write));
    this.#inFlight.add(write);
    if (this.#options.ownsChunks)
      this.#freed = Promise.all([this.#freed, write]).then(() => freeSpent(batch));
    this.#flushedBytes += this.#batchBytes;
    this.#batch = [];
    this.#batchBytes = 0;
  }

  async #writeAll(batch: Buffer[], position: number): Promise<void> {
    let { bytesWritten } = await this.#file.writev(batch, position);
    const total = batch.reduce((sum, chunk) => sum + chunk.length, 0);
    if (bytesWritten === total) return;
    // A full disk first causes a short write; the next attempt gets the error.
    const whole = Buffer.concat(batch);
    while (bytesWritten < total) {
      const written = await this.#file.write(
        whole,
        bytesWritten,
        total - bytesWritten,
        position + bytesWritten,
      );
      bytesWritten += written.bytesWritten;
    }
  }

  #throwFailure(): void {
    if (this.#failure !== undefined) throw this.#failure;
  }
}

async function requireFreeDisk(path: string, { diskReserveBytes, what }: FileWriterOptions): Promise<void> {
  const { bavail, bsize } = await statfs(dirname(path));
  if (bavail * bsize < diskReserveBytes) fail('DISK_FULL', { what });
}

function diskFull(error: unknown, { what }: FileWriterOptions): unknown {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'ENOSPC' || code === 'EDQUOT'
    ? TesseraError.of('DISK_FULL', { what }, { cause: error })
    : error;
}
