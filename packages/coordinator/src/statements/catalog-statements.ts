import type { Authorizer } from '@tessera/access-control';
import {
  type Credential,
  isTemporary,
  NO_CHANGE,
  requireChangedTable,
  requireTable,
  type Snapshot,
} from '@tessera/catalog';
import { fail, TesseraError } from '@tessera/common';
import {
  type CatalogStatement,
  type ExplainableChange,
  type ExplainStatement,
  isReturning,
  type TransactionStatement,
  type WithChangesStatement,
} from '@tessera/sql';
import { type ChangeContext, CommittedResults } from '../changes/change.ts';
import { commitChange } from '../changes/commit-change.ts';
import { returnedResult } from '../changes/returned-result.ts';
import { TableLocks } from '../changes/table-locks.ts';
import type { DoneResult, RowsResult } from '../request/statement-result.ts';
import type { StatementRun } from '../run/query-run.ts';
import type { TableServices } from '../tables.ts';
import { inSession } from '../temporary/session-snapshot.ts';
import type { Transactions } from '../transactions/transactions.ts';
import { type VacuumSettings, vacuumTable } from '../vacuum/vacuum-table.ts';
import { explainChange } from './explain-change.ts';
import { noticeSkipped } from './notice-skipped.ts';
import { changeOf } from './run-change.ts';

/** Catalog statements that are not answered by a query. */
export type RunnableStatement =
  | Exclude<CatalogStatement, { kind: 'show' | 'show_grants' | 'copy_to' }>
  | WithChangesStatement;

/** Computes the credential for a password; undefined if the engine has no passwords. */
export type MakeCredential = (password: string) => Promise<Credential>;

export interface CatalogStatementsOptions {
  readonly vacuum: VacuumSettings;
  /** Undefined if users have no passwords. */
  readonly makeCredential: MakeCredential | undefined;
  readonly authorizer: Authorizer;
}

/** Runs the statements that change the catalog or tables, for one node. */
export class CatalogStatements {
  readonly #tables: TableServices;
  readonly #transactions: Transactions;
  readonly #vacuum: VacuumSettings;
  readonly #makeCredential: MakeCredential | undefined;
  readonly #authorizer: Authorizer;
  readonly #results = new CommittedResults();
  readonly #locks = new TableLocks();

  constructor(
    tables: TableServices,
    transactions: Transactions,
    { vacuum, makeCredential, authorizer }: CatalogStatementsOptions,
  ) {
    this.#tables = tables;
    this.#transactions = transactions;
    this.#vacuum = vacuum;
    this.#makeCredential = makeCredential;
    this.#authorizer = authorizer;
  }

  /** @param idempotencyKey the idempotency key: a repeated statement with the same one is not executed again */
  async run(
    statement: RunnableStatement,
    run: StatementRun,
    idempotencyKey: string,
  ): Promise<DoneResult | RowsResult> {
    switch (statement.kind) {
      case 'begin':
      case 'commit':
      case 'rollback':
      case 'savepoint':
      case 'release_savepoint':
      case 'rollback_to_savepoint':
        return this.#transaction(statement, run);
      case 'vacuum':
        this.#authorizer.authorize(statement, run.sessionValues, await this.#latest(run));
        await vacuumTable(this.#context(run, idempotencyKey), statement, this.#vacuum);
        return { kind: 'done' };
      default: {
        const context = this.#context(run, idempotencyKey);
        // The check uses the very snapshot that the statement changes, because names may have got another
        // meaning since it arrived.
        const work = async (snapshot: Snapshot) => {
          this.#authorizer.authorize(statement, run.sessionValues, snapshot);
          this.#refuseInReadOnly(statement, snapshot, context);
          const change = await changeOf(context, snapshot, statement);
          if (change === NO_CHANGE) noticeSkipped(statement, run.query.notices);
          return change;
        };
        const change = await this.#inTurn(context, statement, () => commitChange(context, work));
        const { affectedRows } = change;
        if (isReturning(statement)) return returnedResult(run, change);
        return affectedRows === undefined ? { kind: 'done' } : { kind: 'done', affectedRows };
      }
    }
  }

  /** Answers EXPLAIN of a statement that changes rows, which requires the privileges of the statement. */
  async explain(
    statement: ExplainStatement & { readonly change: ExplainableChange },
    run: StatementRun,
  ): Promise<RowsResult> {
    const { snapshot, release } = await run.snapshot();
    try {
      this.#authorizer.authorize(statement, run.sessionValues, snapshot);
      return await explainChange(this.#context(run, ''), snapshot, statement);
    } finally {
      release();
    }
  }

  /**
   * Runs statements of this node that change the same rows one after the other, because they would conflict
   * otherwise.
   */
  async #inTurn<T>(context: ChangeContext, statement: RunnableStatement, work: () => Promise<T>): Promise<T> {
    const { request, query } = context.run;
    if (request.transactionId !== undefined || !changesRows(statement)) return work();
    const snapshot = await this.#latest(context.run);
    this.#authorizer.authorize(statement, context.sessionValues, snapshot);
    const { id } = requireChangedTable(snapshot, statement.table, context.database);
    return this.#locks.with(id, query.signal, work);
  }

  async #latest({ request }: StatementRun): Promise<Snapshot> {
    return inSession(await this.#tables.manager.latest(), request.temporary);
  }

  async #transaction(statement: TransactionStatement, { request, query }: StatementRun): Promise<DoneResult> {
    const { transactionId } = request;
    if (statement.kind === 'begin') {
      if (transactionId !== undefined) {
        fail('ACTIVE_TRANSACTION', { message: `BEGIN inside transaction ${transactionId}: end that first` });
      }
      const { id } = await this.#transactions.begin(request.user, statement);
      return { kind: 'done', session: { kind: 'set', name: 'transaction_id', value: id } };
    }
    if (transactionId === undefined) {
      const what = statement.kind.replaceAll('_', ' ').toUpperCase();
      return fail('NO_TRANSACTION', { message: `${what} outside a transaction` });
    }
    switch (statement.kind) {
      case 'savepoint':
        await this.#transactions.get(transactionId).savepoint(statement.name);
        return { kind: 'done' };
      case 'release_savepoint':
        await this.#transactions.get(transactionId).releaseSavepoint(statement.name);
        return { kind: 'done' };
      case 'rollback_to_savepoint':
        await this.#transactions.rollbackTo(transactionId, statement.name);
        return { kind: 'done' };
      case 'commit':
        await this.#transactions.commit(transactionId, query.signal, request.temporary);
        return { kind: 'done', session: { kind: 'remove', name: 'transaction_id' } };
      case 'rollback':
        await this.#transactions.rollback(transactionId);
        return { kind: 'done', session: { kind: 'remove', name: 'transaction_id' } };
    }
  }

  /** As in PostgreSQL, a read-only transaction may still change the rows of temporary tables. */
  #refuseInReadOnly(
    statement: RunnableStatement,
    snapshot: Snapshot,
    { run, database }: ChangeContext,
  ): void {
    const { transactionId, readOnly = false } = run.request;
    const onlyReads =
      readOnly || (transactionId !== undefined && this.#transactions.get(transactionId).readOnly);
    if (!onlyReads) return;
    const isOfRows = changesRows(statement) || addsRows(statement);
    if (isOfRows && isTemporary(snapshot, requireTable(snapshot, statement.table, database))) return;
    const kind = statement.kind.replace('_stdin', '').replace('with_changes', 'a_change_in_with');
    const what = kind.replaceAll('_', ' ').toUpperCase();
    fail('READ_ONLY_TRANSACTION', { what });
  }

  #context(run: StatementRun, idempotencyKey: string): ChangeContext {
    return {
      run,
      tables: this.#tables,
      transactions: this.#transactions,
      results: this.#results,
      locks: this.#locks,
      idempotencyKey,
      database: run.sessionValues.database,
      user: run.request.user,
      rights: (snapshot) => this.#authorizer.rights(run.request.user, snapshot),
      settings: run.request.settings,
      sessionValues: run.sessionValues,
      credential: once((password) => this.#credential(password)),
    };
  }

  async #credential(password: string): Promise<Credential> {
    if (this.#makeCredential !== undefined) return this.#makeCredential(password);
    const hint = 'authentication is off, so passwords are not checked (auth.mode)';
    throw TesseraError.of('NOT_SUPPORTED', { what: 'PASSWORD', hint });
  }
}

/** Computes the credential only once: a statement has one password, and hashing is deliberately slow. */
function once(make: MakeCredential): MakeCredential {
  let made: Promise<Credential> | undefined;
  return (password) => {
    made ??= make(password);
    return made;
  };
}

type RowAddition = Extract<RunnableStatement, { kind: 'insert' | 'copy_from' | 'copy_from_stdin' }>;

const addsRows = (statement: RunnableStatement): statement is RowAddition =>
  statement.kind === 'insert' || statement.kind === 'copy_from' || statement.kind === 'copy_from_stdin';

type RowChange = Extract<RunnableStatement, { kind: 'insert' | 'update' | 'delete' | 'merge' }>;

const changesRows = (statement: RunnableStatement): statement is RowChange =>
  statement.kind === 'update' ||
  statement.kind === 'delete' ||
  statement.kind === 'merge' ||
  (statement.kind === 'insert' && statement.onConflict !== undefined);
