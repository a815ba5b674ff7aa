import { NO_CHANGE } from '@tessera/catalog';
import type { Change } from './change.ts';

const REMEMBERED = 10_000;

/**
 * How many rows the statements changed that this node committed: the answer for a client that sends one again because it
 * lost the first. The log knows, for a day and also after a restart, that a transaction was committed, but not this.
 */
export class CommittedResults {
  readonly #rows = new Map<string, number>();

  add(txnId: string, { affectedRows }: Change): void {
    if (affectedRows === undefined) return;
    this.#rows.set(txnId, affectedRows);
    if (this.#rows.size <= REMEMBERED) return;
    const [oldest] = this.#rows.keys();
    this.#rows.delete(oldest!);
  }

  /** What the statement did, without its actions. */
  get(txnId: string): Change {
    const affectedRows = this.#rows.get(txnId);
    return affectedRows === undefined ? NO_CHANGE : { actions: [], affectedRows };
  }
}
