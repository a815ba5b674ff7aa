import { NO_CHANGE } from '@tessera/catalog';
import type { Change } from './change.ts';

const REMEMBERED = 10_000;

/**
 * The row counts of statements that this node committed: the answer for a client that repeats a statement
 * because it lost the first answer. The log knows for a day, also after a restart, that a transaction was
 * committed, but not its row count.
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

  /** The result of a statement, without its actions. */
  get(txnId: string): Change {
    const affectedRows = this.#rows.get(txnId);
    return affectedRows === undefined ? NO_CHANGE : { actions: [], affectedRows };
  }
}
