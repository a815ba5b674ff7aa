import type { Credential, Snapshot } from '@tessera/catalog';
import type { Rights } from '../authorization/rights.ts';
import type { QueryRunOptions } from '../query-run.ts';
import type { Transactions } from '../transactions.ts';
import type { CommittedResults } from './committed-results.ts';
import type { StoreContext } from './store-rows.ts';
import type { TableLocks } from './table-locks.ts';

/** What a statement that changes the catalog or tables has to work with. */
export interface ChangeContext extends StoreContext {
  readonly run: QueryRunOptions;
  readonly transactions: Transactions;
  readonly results: CommittedResults;
  readonly locks: TableLocks;
  /** Of the commit; a statement that is sent again with the same one is not done twice. */
  readonly txnId: string;
  /** Where unqualified names are looked up. */
  readonly database: string;
  readonly user: string;
  /** Of the user. */
  rights(snapshot: Snapshot): Rights;
  /**
   * What the password of the statement is checked against; the same each time that the statement is tried.
   * @throws TesseraError NOT_SUPPORTED where the engine has no passwords
   */
  credential(password: string): Promise<Credential>;
}
