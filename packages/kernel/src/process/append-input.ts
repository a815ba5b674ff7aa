import type { Socket } from 'node:net';
import { interrupted } from '../native/native-error.ts';
import { PayloadPool } from '../protocol/payload-pool.ts';

/** Shared by all sessions: a buffer of an appended batch can be reused for another one. */
export const appendPayloads = new PayloadPool();

/** The number of bytes of batches that may wait before the socket is no longer read. */
const MAX_QUEUED_BYTES = 4 * 1024 * 1024;

/** The batches of an append, as they arrive on the session's socket. */
export class AppendInput {
  readonly #socket: Socket;
  readonly #queue: Buffer[] = [];
  #queuedBytes = 0;
  #state: 'open' | 'complete' | Error = 'open';
  #discarding = false;
  #wake: (() => void) | undefined;

  constructor(socket: Socket) {
    this.#socket = socket;
  }

  push(batch: Buffer): void {
    if (this.#discarding || this.#state !== 'open') return;
    this.#queue.push(batch);
    this.#queuedBytes += batch.length;
    if (this.#queuedBytes > MAX_QUEUED_BYTES) this.#socket.pause();
    this.#wake?.();
  }

  end(keep: boolean): void {
    if (this.#state !== 'open') return;
    if (keep) this.#state = 'complete';
    // The source of the batches failed, and its own error is reported. This must not look like a failure of
    // the kernel, which would be abandoned for it.
    else this.#state = interrupted();
    this.#wake?.();
  }

  abort(error: Error): void {
    this.#state = error;
    this.#wake?.();
  }

  /** Drops all further batches unread. */
  discard(): void {
    this.#discarding = true;
    this.#queue.length = 0;
    this.#queuedBytes = 0;
    this.#socket.resume();
  }

  /** The next batch; undefined when the input is complete. Throws if the append was given up. */
  async next(): Promise<Buffer | undefined> {
    for (;;) {
      if (this.#state instanceof Error) throw this.#state;
      const batch = this.#queue.shift();
      if (batch !== undefined) {
        this.#queuedBytes -= batch.length;
        if (this.#queuedBytes <= MAX_QUEUED_BYTES / 2) this.#socket.resume();
        return batch;
      }
      if (this.#state === 'complete') return undefined;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
      this.#wake = undefined;
    }
  }
}
