import { on } from 'node:events';
import { isDeepStrictEqual } from 'node:util';
import type { Worker } from 'node:worker_threads';
import { cancellation, fail, requireValidText, TesseraError } from '@tessera/common';
import type { ColumnBatch, ColumnField } from '../columns/column-batch.ts';
import { keepThread, takeThread } from './kept-thread.ts';
import type { ThreadInput, ThreadMessage, ThreadRequest } from './messages.ts';

/** The number of batches that a thread may decode ahead of the consumer. */
const BATCHES_AHEAD = 2;

export interface SourceFile {
  readonly path: string;
  /** The name of the file in errors, as the user wrote it. */
  readonly label: string;
}

/** Files that are decoded one after the other in a thread that does nothing else meanwhile. */
export class Decoding {
  readonly #worker: Worker;
  readonly #messages: AsyncIterator<[ThreadMessage]>;
  readonly #files: readonly SourceFile[];
  readonly #signal: AbortSignal;
  #fields: readonly ColumnField[] = [];
  #file: SourceFile;
  /** The memory of the thread once it has decoded all files. */
  #heldBytes: number | undefined;

  private constructor(format: ThreadInput['format'], files: readonly SourceFile[], signal: AbortSignal) {
    const input: ThreadInput = { format, paths: files.map(({ path }) => path) };
    this.#worker = takeThread();
    this.#messages = on(this.#worker, 'message', { signal, close: ['exit'] }) as AsyncIterator<
      [ThreadMessage]
    >;
    this.#files = files;
    this.#file = files[0]!;
    this.#signal = signal;
    this.#send({ kind: 'start', input });
  }

  #send(request: ThreadRequest): void {
    this.#worker.postMessage(request);
  }

  /**
   * Reads as far as the fields of the first file.
   * @param files at least one
   * @throws TesseraError BAD_FILE, NOT_SUPPORTED; the caller must `close` what it returns
   */
  static async start(
    format: ThreadInput['format'],
    files: readonly SourceFile[],
    signal: AbortSignal,
  ): Promise<Decoding> {
    if (signal.aborted) throw cancellation(signal);
    const decoding = new Decoding(format, files, signal);
    try {
      const message = await decoding.#next();
      if (message.kind !== 'fields') throw ended(decoding.#file);
      for (const field of message.fields) requireValidNames(field, decoding.#file.label);
      decoding.#fields = message.fields;
      return decoding;
    } catch (error) {
      await decoding.#worker.terminate();
      throw error;
    }
  }

  /** The columns, which all files have. */
  get fields(): readonly ColumnField[] {
    return this.#fields;
  }

  /**
   * The batches of all files in order; may be read once.
   * @throws TesseraError BAD_FILE, also for a file with other fields; NOT_SUPPORTED, OUT_OF_MEMORY, the signal's reason
   */
  async *batches(): AsyncGenerator<ColumnBatch> {
    for (let i = 0; i < BATCHES_AHEAD; i++) this.#send({ kind: 'more' });
    for (;;) {
      const message = await this.#next();
      if (message.kind === 'end') {
        this.#heldBytes = message.heldBytes;
        return;
      }
      if (message.kind === 'fields') this.#checkSameFields(message.fields);
      if (message.kind !== 'batch') continue;
      this.#send({ kind: 'more' });
      yield message.batch;
    }
  }

  /** Ends the thread, whatever it is doing, or keeps it for other files if it has finished. */
  async close(): Promise<void> {
    await this.#messages.return?.();
    if (this.#heldBytes === undefined) await this.#worker.terminate();
    else await keepThread(this.#worker, this.#heldBytes);
  }

  async #next(): Promise<ThreadMessage> {
    for (;;) {
      const result = await this.#messages.next().catch((error: unknown) => {
        throw this.#signal.aborted ? cancellation(this.#signal) : threadFailure(error, this.#file);
      });
      if (result.done) throw ended(this.#file);
      const message = result.value[0];
      if (message.kind === 'bad-file') fail('BAD_FILE', { name: this.#file.label, reason: message.reason });
      if (message.kind === 'unsupported')
        fail('NOT_SUPPORTED', { what: `${message.what} (in ${this.#file.label})` });
      if (message.kind !== 'file') return message;
      this.#file = this.#files[message.position]!;
    }
  }

  #checkSameFields(found: readonly ColumnField[]): void {
    if (isDeepStrictEqual(this.#fields, found)) return;
    const at = found.findIndex((field, index) => !isDeepStrictEqual(field, this.#fields[index]));
    const { name } = (found[at] ?? this.#fields[found.length])!;
    fail('BAD_FILE', {
      name: this.#file.label,
      reason: `its columns are not those of ${this.#files[0]!.label} (the first difference is "${name}")`,
    });
  }
}

/** @throws TesseraError INVALID_ENCODING for a name that would be cut where it becomes a C string */
function requireValidNames({ name, type }: ColumnField, label: string): void {
  requireValidText(name, `the name of a column of ${label}`);
  if (type.kind === 'struct') for (const field of type.fields) requireValidNames(field, label);
  if (type.kind === 'list') requireValidNames({ name: '', type: type.item }, label);
}

function threadFailure(error: unknown, file: SourceFile): unknown {
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'ERR_WORKER_OUT_OF_MEMORY') {
    return TesseraError.of('OUT_OF_MEMORY', { message: `Reading ${file.label} needs too much memory` });
  }
  if (code === 'ENOENT') return TesseraError.of('FILE_NOT_FOUND', { url: file.label }, { cause: error });
  return error;
}

function ended(file: SourceFile): Error {
  return new Error(`The thread that decodes ${file.label} ended without a word`);
}
