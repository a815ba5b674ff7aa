import type { ResultHeader, StatementProfile, TextRows } from '../protocol/messages.ts';
import type { KernelColumn } from '../types/kernel-type.ts';
import { batchPayloads } from './batch-payloads.ts';
import { KernelBatch } from './kernel-batch.ts';
import type { SessionSocket } from './session-socket.ts';

/** The number of unread batches that may wait here before the socket is paused. */
const MAX_QUEUED = 2;

const giveBack = (payload: Buffer): void => batchPayloads.give(payload);

/**
 * A running query. Not reading the batches slows down the kernel; ending the iteration early cancels the
 * query.
 */
export interface KernelResult {
  readonly columns: readonly KernelColumn[];
  /**
   * An encapsulated Arrow Schema message with the dictionaries. Followed by the batches it forms an Arrow
   * stream.
   */
  readonly schemaIpc: Uint8Array;
  readonly batches: AsyncIterable<KernelBatch>;
  /** The figures of a query with `profiled`; undefined for others, and until all batches have been read. */
  readonly profile: () => StatementProfile | undefined;
}

/** Receives the frames of one query and serves them as an async iterator. */
export class ResultStream {
  readonly #socket: SessionSocket;
  readonly #queue: KernelBatch[] = [];
  #header: ResultHeader | undefined;
  #text: TextRows | undefined;
  #failure: Error | undefined;
  #profile: StatementProfile | undefined;
  #ended = false;
  #cancelled = false;
  #wake: (() => void) | undefined;

  constructor(socket: SessionSocket) {
    this.#socket = socket;
  }

  header(header: ResultHeader): void {
    this.#header = header;
    this.#notify();
  }

  batch(payload: Buffer): boolean {
    if (this.#cancelled) return true;
    this.#queue.push(new KernelBatch(payload, this.#header!.schemaIpc, giveBack));
    this.#notify();
    return this.#queue.length < MAX_QUEUED;
  }

  text(rows: TextRows): void {
    this.#text = rows;
  }

  end({
    failure,
    profile,
  }: {
    readonly failure?: Error;
    readonly profile?: StatementProfile | undefined;
  }): void {
    this.#ended = true;
    this.#failure = failure;
    this.#profile = profile;
    this.#notify();
  }

  /** Resolves when the schema has arrived. */
  async result(): Promise<KernelResult> {
    while (this.#header === undefined && !this.#ended) await this.#change();
    if (this.#header === undefined) throw this.#failure ?? new Error('The kernel sent no result');
    const { columns, schemaIpc } = this.#header;
    const batches = this.#batches;
    return { columns, schemaIpc, batches, profile: () => this.#profile };
  }

  /** Whether the rows of a query with `rowText` are too long for one answer; known once `texts` has resolved. */
  get isTooLong(): boolean {
    return this.#text?.isTooLong === true;
  }

  /** The rows of a query with `isText`. Resolves when the first of them have arrived, or if there are none. */
  async texts(): Promise<AsyncIterable<TextRows> | Iterable<TextRows>> {
    while (this.#header === undefined && !this.#ended) await this.#change();
    if (this.#text !== undefined) return this.#text.rows === 0 ? [] : [this.#text];
    if (this.#header === undefined) throw this.#failure ?? new Error('The kernel sent no result');
    return textsOf(this.#batches);
  }

  get #batches(): AsyncIterable<KernelBatch> {
    return { [Symbol.asyncIterator]: () => this.#iterate() };
  }

  async *#iterate(): AsyncGenerator<KernelBatch, void> {
    try {
      for (;;) {
        const batch = this.#queue.shift();
        if (batch !== undefined) {
          if (this.#queue.length < MAX_QUEUED) this.#socket.resume();
          yield batch;
        } else if (this.#failure !== undefined) {
          throw this.#failure;
        } else if (this.#ended) {
          return;
        } else {
          await this.#change();
        }
      }
    } finally {
      await this.cancel();
    }
  }

  /** Stops the query if it still runs, and waits until the session is free. */
  async cancel(): Promise<void> {
    this.#cancelled = true;
    this.#queue.length = 0;
    if (this.#ended) return;
    this.#socket.interrupt();
    this.#socket.resume();
    while (!this.#ended) await this.#change();
  }

  #change(): Promise<void> {
    return new Promise((resolve) => {
      const others = this.#wake;
      this.#wake = () => {
        others?.();
        resolve();
      };
    });
  }

  #notify(): void {
    const wake = this.#wake;
    this.#wake = undefined;
    wake?.();
  }
}

async function* textsOf(batches: AsyncIterable<KernelBatch>): AsyncGenerator<TextRows, void> {
  for await (const batch of batches)
    yield { rows: batch.rows, bytes: batch.textColumn(0), release: () => batch.release() };
}
