import { DatabaseSync } from 'node:sqlite';
import { pause } from '@tessera/common';

const BUSY = 5;
const LONGEST_WAIT_MS = 50;

/**
 * Runs pieces of work one at a time among all processes that open the same file. A killed process blocks
 * nothing.
 */
export class ExclusiveSection {
  readonly #lock: DatabaseSync;
  /** Ends with the last piece of work of this process. */
  #before: Promise<unknown> = Promise.resolve();
  #isClosed = false;

  /** @param path an empty database, which is created if it does not exist; only its file lock is used */
  constructor(path: string) {
    this.#lock = new DatabaseSync(path, { timeout: 0 });
  }

  /** Runs the work when the earlier work of this process has ended and no other process is at work. */
  run<T>(work: () => T | Promise<T>, signal?: AbortSignal): Promise<T> {
    const done = this.#before.then(() => this.#locked(work, signal));
    this.#before = done.catch(() => undefined);
    return done;
  }

  /** Lets the work that has begun end; work that waits for another process fails. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#before;
    this.#lock.close();
  }

  async #locked<T>(work: () => T | Promise<T>, signal: AbortSignal | undefined): Promise<T> {
    for (let waitMs = 1; !this.#acquire(); waitMs = Math.min(waitMs * 2, LONGEST_WAIT_MS)) {
      signal?.throwIfAborted();
      if (this.#isClosed) throw new Error('the store was closed');
      await pause(waitMs * Math.random());
    }
    try {
      return await work();
    } finally {
      this.#lock.exec('ROLLBACK');
    }
  }

  #acquire(): boolean {
    try {
      this.#lock.exec('BEGIN IMMEDIATE');
      return true;
    } catch (error) {
      if ((error as { errcode?: number }).errcode === BUSY) return false;
      throw error;
    }
  }
}
