import type { AccessContext } from '@tessera/access-control';
import type { QueryRunOptions } from '../run/query-run.ts';
import type { Transactions } from '../transactions/transactions.ts';
import type { CommittedResults } from './committed-results.ts';
import type { StoreContext } from './store-rows.ts';
import type { TableLocks } from './table-locks.ts';

/** What a statement that changes the catalog or tables has to work with. */
export interface ChangeContext extends StoreContext, AccessContext {
  readonly run: QueryRunOptions;
  readonly transactions: Transactions;
  readonly results: CommittedResults;
  readonly locks: TableLocks;
  /** Of the commit; a statement that is sent again with the same one is not done twice. */
  readonly txnId: string;
}
