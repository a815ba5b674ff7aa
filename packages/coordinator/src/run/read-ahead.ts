import { type SpillFile, SpillFiles, TesseraError } from '@tessera/common';
import type { ResultChunk, RowsResult } from '../request/statement-result.ts';

/** A chunk in the file. */
interface StoredChunk {
  readonly offset: number;
  readonly length: number;
  readonly rows: number;
}

/**
 * Reads a result into a file as fast as it is computed; the client's chunks come from there. So the session of the
 * result is closed when its last row is computed, however slowly the client reads.
 * @param directory holds the file, which is unlinked as soon as it is open
 * @throws TesseraError DISK_FULL from the chunks
 */
export async function readAhead(result: RowsResult, directory: string): Promise<RowsResult> {
  const files = new SpillFiles(directory);
  const file = await files.take();
  const chunks = new StoredChunks(result, file);
  let closed: Promise<void> | undefined;
  const close = async () => {
    await result.close();
    await chunks.filled;
    await file.free();
    await files.close();
  };
  return {
    ...result,
    chunks: chunks.read(),
    close: () => {
      closed ??= close();
      return closed;
    },
  };
}

class StoredChunks {
  readonly #file: SpillFile;
  readonly #stored: StoredChunk[] = [];
  /** Resolves when a chunk was stored, or when the result has ended. */
  #changed = Promise.withResolvers<void>();
  #isEnded = false;
  #error: unknown;
  /** Resolves when the result is closed and nothing more is written. */
  readonly filled: Promise<void>;

  constructor(result: RowsResult, file: SpillFile) {
    this.#file = file;
    this.filled = this.#fill(result);
  }

  async #fill(result: RowsResult): Promise<void> {
    try {
      for await (const { bytes, rows, release } of result.chunks) {
        const offset = await this.#file.append(bytes);
        const length = bytes.byteLength;
        release?.();
        this.#stored.push({ offset, length, rows });
        this.#wake();
      }
    } catch (error) {
      this.#error = isDiskFull(error)
        ? TesseraError.of('DISK_FULL', { what: 'the rows of the result' }, { cause: error })
        : error;
    }
    await result.close().catch((error: unknown) => {
      this.#error ??= error;
    });
    this.#isEnded = true;
    this.#wake();
  }

  #wake(): void {
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
  }

  async *read(): AsyncGenerator<ResultChunk, void> {
    for (let next = 0; ; next += 1) {
      while (next >= this.#stored.length) {
        if (this.#error !== undefined) throw this.#error;
        if (this.#isEnded) return;
        await this.#changed.promise;
      }
      const { offset, length, rows } = this.#stored[next]!;
      const bytes = new Uint8Array(length);
      await this.#file.read(bytes, offset);
      yield { bytes, rows };
    }
  }
}

const isDiskFull = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && ['ENOSPC', 'EDQUOT'].includes(String(error.code));
