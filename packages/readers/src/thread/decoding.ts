import { on } from 'node:events';
import { Worker } from 'node:worker_threads';
import { cancellation, fail, TesseraError } from '@tessera/common';
import type { ColumnBatch, ColumnField } from '../columns/column-batch.ts';
import type { ThreadInput, ThreadMessage } from './messages.ts';

/** The number of batches that a thread may decode ahead of the consumer. */
const BATCHES_AHEAD = 2;

/**
 * The limit for the thread's JavaScript objects; column buffers are outside of it and have their own budget.
 */
const THREAD_HEAP_MIB = 256;

export interface SourceFile {
  readonly path: string;
  /** The name of the file in errors, as the user wrote it. */
  readonly label: string;
}

/** A file that is being decoded in a thread of its own. */
export class Decoding {
  readonly fields: readonly ColumnField[];
  readonly #worker: Worker;
  readonly #messages: AsyncIterator<[ThreadMessage]>;
  readonly #file: SourceFile;
  readonly #signal: AbortSignal;

  private constructor(
    worker: Worker,
    messages: AsyncIterator<[ThreadMessage]>,
    fields: readonly ColumnField[],
    file: SourceFile,
    signal: AbortSignal,
  ) {
    this.#worker = worker;
    this.#messages = messages;
    this.fields = fields;
    this.#file = file;
    this.#signal = signal;
  }

  /**
   * Starts the thread and reads the fields. Throws BAD_FILE, NOT_SUPPORTED. The caller must `close` the
   * result.
   */
  static async start(
    format: ThreadInput['format'],
    file: SourceFile,
    signal: AbortSignal,
  ): Promise<Decoding> {
    if (signal.aborted) throw cancellation(signal);
    const input: ThreadInput = { format, path: file.path };
    const worker = new Worker(new URL('./decode-thread.ts', import.meta.url), {
      name: `decode-${format}`,
      workerData: input,
      resourceLimits: { maxOldGenerationSizeMb: THREAD_HEAP_MIB },
    });
    const messages = on(worker, 'message', { signal, close: ['exit'] }) as AsyncIterator<[ThreadMessage]>;
    try {
      const message = await nextMessage(messages, file, signal);
      if (message?.kind !== 'fields') throw ended(file);
      return new Decoding(worker, messages, message.fields, file, signal);
    } catch (error) {
      await worker.terminate();
      throw error;
    }
  }

  /**
   * The batches in order; may be read only once. Throws BAD_FILE, NOT_SUPPORTED, OUT_OF_MEMORY, the signal's
   * reason.
   */
  async *batches(): AsyncGenerator<ColumnBatch> {
    for (let i = 0; i < BATCHES_AHEAD; i++) this.#worker.postMessage('more');
    for (;;) {
      const message = await nextMessage(this.#messages, this.#file, this.#signal);
      if (message === undefined) throw ended(this.#file);
      if (message.kind !== 'batch') return;
      this.#worker.postMessage('more');
      yield message.batch;
    }
  }

  /** Ends the thread, whatever it is doing. */
  async close(): Promise<void> {
    await this.#messages.return?.();
    await this.#worker.terminate();
  }
}

async function nextMessage(
  messages: AsyncIterator<[ThreadMessage]>,
  file: SourceFile,
  signal: AbortSignal,
): Promise<ThreadMessage | undefined> {
  const result = await messages.next().catch((error: unknown) => {
    throw signal.aborted ? cancellation(signal) : threadFailure(error, file);
  });
  if (result.done) return undefined;
  const message = result.value[0];
  if (message.kind === 'bad-file') fail('BAD_FILE', { name: file.label, reason: message.reason });
  if (message.kind === 'unsupported') {
    fail('NOT_SUPPORTED', { what: `${message.what} (in ${file.label})` });
  }
  return message;
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
