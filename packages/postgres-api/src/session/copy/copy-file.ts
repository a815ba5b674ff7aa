import { type FileHandle, open } from 'node:fs/promises';
import { fail } from '@tessera/common';

const BATCH_BYTES = 1 << 20;
/** Fewer than the number of buffers that one system call accepts. */
const BATCH_BUFFERS = 512;

/** A file that collects received rows in large writes. */
export class CopyFile {
  bytes = 0;
  readonly #file: FileHandle;
  #batch: Buffer[] = [];
  #batchBytes = 0;

  private constructor(file: FileHandle) {
    this.#file = file;
  }

  static async create(path: string): Promise<CopyFile> {
    return new CopyFile(await open(path, 'wx', 0o600));
  }

  /** @throws TesseraError DISK_FULL */
  async write(chunk: Buffer): Promise<void> {
    this.#batch.push(chunk);
    this.#batchBytes += chunk.length;
    this.bytes += chunk.length;
    if (this.#batchBytes >= BATCH_BYTES || this.#batch.length >= BATCH_BUFFERS) await this.flush();
  }

  /** @throws TesseraError DISK_FULL */
  async flush(): Promise<void> {
    if (this.#batchBytes === 0) return;
    const bytes = Buffer.concat(this.#batch, this.#batchBytes);
    this.#batch = [];
    this.#batchBytes = 0;
    try {
      await this.#file.writeFile(bytes);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code !== 'ENOSPC' && code !== 'EDQUOT') throw error;
      fail('DISK_FULL', { what: 'the rows of COPY' }, { cause: error });
    }
  }

  async close(): Promise<void> {
    await this.#file.close();
  }
}
