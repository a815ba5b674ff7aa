import type { AccessContext } from '@tessera/access-control';
import { type CatalogChange, NO_CHANGE } from '@tessera/catalog';
import type { ExecutableQuery } from '../read/executable-query.ts';
import type { StatementRun } from '../run/query-run.ts';
import type { Transactions } from '../transactions/transactions.ts';
import type { StoreContext } from './store-rows.ts';
import type { TableLocks } from './table-locks.ts';

/** The change that a statement asks to commit. */
export interface Change extends CatalogChange {
  readonly affectedRows?: number;
  /** The rows of RETURNING, as a query that is ready to run. The receiver of the change must release it. */
  readonly returned?: ExecutableQuery | undefined;
}

/** The context of a statement that changes the catalog or tables. */
export interface ChangeContext extends StoreContext, AccessContext {
  readonly run: StatementRun;
  readonly transactions: Transactions;
  readonly results: CommittedResults;
  readonly locks: TableLocks;
  /** The idempotency key of the commit: a repeated statement with the same one is not executed again. */
  readonly idempotencyKey: string;
}

const REMEMBERED = 10_000;

/**
 * The row counts of statements that this node committed: the answer for a client that repeats a statement
 * because it lost the first answer. The log knows for a day, also after a restart, that a transaction was
 * committed, but not its row count.
 */
export class CommittedResults {
  readonly #rows = new Map<string, number>();

  add(idempotencyKey: string, { affectedRows }: Change): void {
    if (affectedRows === undefined) return;
    this.#rows.set(idempotencyKey, affectedRows);
    if (this.#rows.size <= REMEMBERED) return;
    const [oldest] = this.#rows.keys();
    this.#rows.delete(oldest!);
  }

  /** The result of a statement, without its actions. */
  get(idempotencyKey: string): Change {
    const affectedRows = this.#rows.get(idempotencyKey);
    return affectedRows === undefined ? NO_CHANGE : { actions: [], affectedRows };
  }
}
