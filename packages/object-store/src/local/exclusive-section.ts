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

  /** @param path an empty database, which is created if it does not exist; only its file lock is used */
  constructor(path: string) {
    this.#lock = new DatabaseSync(path, { timeout: 0 });
  }

  /** `work` is synchronous, so that no other work of this process runs in between. */
  async run<T>(work: () => T, signal?: AbortSignal): Promise<T> {
    for (let waitMs = 1; !this.#acquire(); waitMs = Math.min(waitMs * 2, LONGEST_WAIT_MS)) {
      signal?.throwIfAborted();
      await pause(waitMs * Math.random());
    }
    try {
      return work();
    } finally {
      this.#lock.exec('ROLLBACK');
    }
  }

  close(): void {
    this.#lock.close();
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
