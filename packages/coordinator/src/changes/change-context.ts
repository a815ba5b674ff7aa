import type { AccessContext } from '@tessera/access-control';
import type { StatementRun } from '../run/query-run.ts';
import type { Transactions } from '../transactions/transactions.ts';
import type { CommittedResults } from './committed-results.ts';
import type { StoreContext } from './store-rows.ts';
import type { TableLocks } from './table-locks.ts';

/** The context of a statement that changes the catalog or tables. */
export interface ChangeContext extends StoreContext, AccessContext {
  readonly run: StatementRun;
  readonly transactions: Transactions;
  readonly results: CommittedResults;
  readonly locks: TableLocks;
  /** The idempotency key of the commit: a repeated statement with the same one is not executed again. */
  readonly txnId: string;
}
