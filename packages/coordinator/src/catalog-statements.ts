import type { Snapshot } from '@tessera/catalog';
import { fail } from '@tessera/common';
import type { CatalogStatement, TransactionStatement } from '@tessera/sql';
import { requireTable } from './catalog/names.ts';
import type { ChangeContext } from './changes/change-context.ts';
import { commitChange } from './changes/commit-change.ts';
import { CommittedResults } from './changes/committed-results.ts';
import { changeOf } from './changes/run-change.ts';
import { TableLocks } from './changes/table-locks.ts';
import type { QueryRunOptions } from './query-run.ts';
import type { DoneResult } from './statement-result.ts';
import type { TableServices } from './tables.ts';
import type { Transactions } from './transactions.ts';
import { type VacuumSettings, vacuumTable } from './vacuum/vacuum-table.ts';

/** Statements of the catalog that are no queries in disguise. */
export type RunnableStatement = Exclude<CatalogStatement, { kind: 'show' | 'copy_to' }>;

/** Runs the statements that change the catalog or tables, for one node. */
export class CatalogStatements {
  readonly #tables: TableServices;
  readonly #transactions: Transactions;
  readonly #vacuum: VacuumSettings;
  readonly #results = new CommittedResults();
  readonly #locks = new TableLocks();

  constructor(tables: TableServices, transactions: Transactions, vacuum: VacuumSettings) {
    this.#tables = tables;
    this.#transactions = transactions;
    this.#vacuum = vacuum;
  }

  /** `txnId` names the statement for ever: sent again with the same one, it is not done again. */
  async run(statement: RunnableStatement, run: QueryRunOptions, txnId: string): Promise<DoneResult> {
    switch (statement.kind) {
      case 'begin':
      case 'commit':
      case 'rollback':
        return this.#transaction(statement, run);
      case 'vacuum':
        await vacuumTable(this.#context(run, txnId), statement, this.#vacuum);
        return { kind: 'done' };
      default: {
        const context = this.#context(run, txnId);
        const work = (snapshot: Snapshot) => Promise.resolve(changeOf(context, snapshot, statement));
        const { affectedRows } = await this.#inTurn(context, statement, () => commitChange(context, work));
        return affectedRows === undefined ? { kind: 'done' } : { kind: 'done', affectedRows };
      }
    }
  }

  /** Statements that change the same rows would meet conflicts: those of one node wait for one another instead. */
  async #inTurn<T>(context: ChangeContext, statement: RunnableStatement, work: () => Promise<T>): Promise<T> {
    const { request, query } = context.run;
    if (request.transactionId !== undefined || !changesRows(statement)) return work();
    const snapshot = await context.tables.manager.latest();
    const { id } = requireTable(snapshot, statement.table, context.database);
    return this.#locks.with(id, query.signal, work);
  }

  async #transaction({ kind }: TransactionStatement, { request }: QueryRunOptions): Promise<DoneResult> {
    const { transactionId } = request;
    if (kind === 'begin') {
      if (transactionId !== undefined) {
        fail('NO_TRANSACTION', { message: `BEGIN inside transaction ${transactionId}: end that first` });
      }
      const { id } = await this.#transactions.begin(request.user);
      return { kind: 'done', session: { kind: 'set', name: 'transaction_id', value: id } };
    }
    if (transactionId === undefined) {
      return fail('NO_TRANSACTION', { message: `${kind.toUpperCase()} outside a transaction` });
    }
    await this.#transactions[kind](transactionId);
    return { kind: 'done', session: { kind: 'remove', name: 'transaction_id' } };
  }

  #context(run: QueryRunOptions, txnId: string): ChangeContext {
    return {
      run,
      tables: this.#tables,
      transactions: this.#transactions,
      results: this.#results,
      locks: this.#locks,
      txnId,
      database: run.sessionValues.database,
      user: run.request.user,
      settings: run.request.settings,
      sessionValues: run.sessionValues,
    };
  }
}

type RowChange = Extract<RunnableStatement, { kind: 'update' | 'delete' | 'merge' }>;

const changesRows = (statement: RunnableStatement): statement is RowChange =>
  statement.kind === 'update' || statement.kind === 'delete' || statement.kind === 'merge';
