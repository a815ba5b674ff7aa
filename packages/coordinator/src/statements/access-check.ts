import type { Authorizer } from '@tessera/access-control';
import { TesseraError } from '@tessera/common';
import { classifyStatement, type Statement } from '@tessera/sql';
import { DEFAULT_DATABASE, databaseOf } from '../request/request-session.ts';
import type { StatementRequest } from '../request/statement-request.ts';
import type { TableServices } from '../tables.ts';
import { inSession } from '../temporary/session-snapshot.ts';
import type { StatementSnapshot } from '../transactions/statement-snapshot.ts';
import type { OpenTransaction, Transactions } from '../transactions/transactions.ts';

export interface AccessCheckOptions {
  readonly authorizer: Authorizer;
  /** Both undefined: the node keeps no tables. */
  readonly manager: TableServices['manager'] | undefined;
  readonly transactions: Transactions | undefined;
}

/** What holds of every statement before it runs: its user is one, and may use its database, its transaction, what it names. */
export class AccessCheck {
  readonly #authorizer: Authorizer;
  readonly #manager: AccessCheckOptions['manager'];
  readonly #transactions: AccessCheckOptions['transactions'];

  constructor({ authorizer, manager, transactions }: AccessCheckOptions) {
    this.#authorizer = authorizer;
    this.#manager = manager;
    this.#transactions = transactions;
  }

  /** @throws TesseraError UNAUTHENTICATED; NO_TRANSACTION for one of somebody else */
  async admit(request: StatementRequest): Promise<void> {
    await this.#authorizer.admit(request);
    this.#checkTransaction(request);
  }

  /** The same for each statement of a request that was admitted. @throws TesseraError as `admit` */
  readmit(request: StatementRequest): void {
    this.#authorizer.readmit(request);
    this.#checkTransaction(request);
  }

  #checkTransaction({ user, transactionId }: StatementRequest): void {
    if (transactionId === undefined || !this.#authorizer.checksPrivileges) return;
    this.#transactions?.checkOwner(transactionId, user);
  }

  /** A request that names no database is for the default one of its user, as long as that is there. */
  inDatabase(request: StatementRequest): StatementRequest {
    if (request.database !== undefined) return request;
    const current = this.#manager?.current;
    const user = current?.principal(request.user);
    const database = user?.kind === 'user' ? user.defaultDatabase : undefined;
    if (database === undefined || current?.database(database) === undefined) return request;
    return { ...request, database };
  }

  /**
   * Whether the user may use a database. The default one is not asked for: what is read in it is.
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

  /** For statements that change nothing; the others are looked at in the snapshot that they change. */
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

  /** Everything that is asked of a statement that is only described. */
  async toDescribe(request: StatementRequest, text: string): Promise<void> {
    await this.admit(request);
    await this.checkDatabase(request.database, request.user);
    await this.authorize(classifyStatement(text), request);
  }

  /** What a statement reads. @throws TesseraError as `Transactions.snapshotFor`; UNAUTHENTICATED */
  async snapshot(request: StatementRequest): Promise<StatementSnapshot> {
    if (this.#transactions === undefined)
      throw TesseraError.of('NOT_SUPPORTED', { what: 'A table', hint: 'this node keeps no tables' });
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
  transaction(id: string): OpenTransaction {
    if (this.#transactions !== undefined) return this.#transactions.get(id);
    throw TesseraError.of('NO_TRANSACTION', { message: 'This node keeps no tables, and so no transactions' });
  }
}
