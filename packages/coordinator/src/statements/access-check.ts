import type { Authorizer } from '@tessera/access-control';
import { TesseraError, type TransactionId } from '@tessera/common';
import { classifyStatement, type Statement } from '@tessera/sql';
import { DEFAULT_DATABASE, databaseOf } from '../request/request-session.ts';
import type { StatementRequest } from '../request/statement-request.ts';
import type { TableServices } from '../tables.ts';
import { inSession } from '../temporary/session-snapshot.ts';
import type { StatementSnapshot } from '../transactions/statement-snapshot.ts';
import type { OpenTransaction, Transactions } from '../transactions/transactions.ts';

export interface AccessCheckOptions {
  readonly authorizer: Authorizer;
  /** This and `transactions` are undefined if the node keeps no tables. */
  readonly manager: TableServices['manager'] | undefined;
  readonly transactions: Transactions | undefined;
}

/**
 * The checks before every statement: its user exists, and may use its database, its transaction and the
 * objects that it names.
 */
export class AccessCheck {
  readonly #authorizer: Authorizer;
  readonly #manager: AccessCheckOptions['manager'];
  readonly #transactions: AccessCheckOptions['transactions'];

  constructor({ authorizer, manager, transactions }: AccessCheckOptions) {
    this.#authorizer = authorizer;
    this.#manager = manager;
    this.#transactions = transactions;
  }

  /** @throws TesseraError UNAUTHENTICATED; NO_TRANSACTION for a transaction of another user */
  async admit(request: StatementRequest): Promise<void> {
    await this.#authorizer.admit(request);
    this.#checkTransaction(request);
  }

  /** The same check for each statement of a request that was admitted. @throws TesseraError as `admit` */
  readmit(request: StatementRequest): void {
    this.#authorizer.readmit(request);
    this.#checkTransaction(request);
  }

  #checkTransaction({ user, transactionId }: StatementRequest): void {
    if (transactionId === undefined || !this.#authorizer.checksPrivileges) return;
    this.#transactions?.checkOwner(transactionId, user);
  }

  /** A request without a database uses the default database of its user, if that still exists. */
  inDatabase(request: StatementRequest): StatementRequest {
    if (request.database !== undefined) return request;
    const current = this.#manager?.current;
    const user = current?.principal(request.user);
    const database = user?.kind === 'user' ? user.defaultDatabase : undefined;
    if (database === undefined || current?.database(database) === undefined) return request;
    return { ...request, database };
  }

  /**
   * Checks that the user may use a database. The default database is not checked; the objects in it are.
   * @throws TesseraError DATABASE_NOT_FOUND, FORBIDDEN
   */
  async checkDatabase(name: string | undefined, user: string): Promise<void> {
    const database = databaseOf(name);
    if (database === DEFAULT_DATABASE) return;
    const snapshot = await this.#manager?.latest();
    const found = snapshot?.database(database);
    if (snapshot === undefined || found === undefined)
      throw TesseraError.of('DATABASE_NOT_FOUND', { database });
    this.#authorizer.require({ kind: 'privilege', privilege: 'USAGE', object: found }, user, snapshot);
  }

  /** Authorizes statements that change nothing; the others are checked in the snapshot that they change. */
  async authorize(statement: Statement, request: StatementRequest): Promise<void> {
    if (!this.#authorizer.concerns(statement)) return;
    const { snapshot, release } = await this.snapshot(request);
    try {
      const asker = { user: request.user, database: databaseOf(request.database) };
      this.#authorizer.authorize(statement, asker, snapshot);
    } finally {
      release();
    }
  }

  /** All checks for a statement that is only described. */
  async toDescribe(request: StatementRequest, text: string): Promise<void> {
    await this.admit(request);
    await this.checkDatabase(request.database, request.user);
    await this.authorize(classifyStatement(text), request);
  }

  /**
   * The snapshot that a statement reads. @throws TesseraError as `Transactions.snapshotFor`; UNAUTHENTICATED
   */
  async snapshot(request: StatementRequest): Promise<StatementSnapshot> {
    if (this.#transactions === undefined)
      throw TesseraError.of('NOT_SUPPORTED', { what: 'A table', hint: 'this node stores no tables' });
    const { snapshot, release } = await this.#transactions.snapshotFor(request);
    const read = { snapshot: inSession(snapshot, request.temporary), release };
    try {
      this.#authorizer.admitIn(read.snapshot, request);
      return read;
    } catch (error) {
      read.release();
      throw error;
    }
  }

  /** @throws TesseraError NO_TRANSACTION */
  transaction(id: TransactionId): OpenTransaction {
    if (this.#transactions !== undefined) return this.#transactions.get(id);
    throw TesseraError.of('NO_TRANSACTION', {
      message: 'This node stores no tables, so it has no transactions',
    });
  }
}
