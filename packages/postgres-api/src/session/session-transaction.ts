import { fail, Savepoints, TesseraError } from '@tessera/common';
import type { SessionUpdate } from '@tessera/coordinator';
import { quoteIdentifier } from '@tessera/sql';
import type { ParametersMark } from '../parameters/session-parameters.ts';
import type { TransactionStatus } from '../protocol/backend-message.ts';
import type { Portal } from './portal.ts';

/** Runs a statement about transactions in the engine; what it answers is the transaction that is open then. */
export type RunInEngine = (sql: string) => Promise<SessionUpdate | undefined>;

/** What the session is at a savepoint, besides what the engine knows of the transaction. */
export interface SessionMark {
  readonly parameters: ParametersMark;
  readonly portals: ReadonlySet<Portal>;
}

interface OpenTransaction {
  readonly id: string;
  /** It holds the statements up to the next Sync, or of one Query message; no BEGIN made it. */
  isImplicit: boolean;
  readOnly: boolean;
  /** A statement has run in it: it cannot become one that writes any more. */
  isUsed: boolean;
  failed: boolean;
  readonly savepoints: Savepoints<SessionMark & { readonly readOnly: boolean }>;
}

/** The transaction of a connection, as PostgreSQL has it: a failed one takes nothing but its end. */
export class SessionTransaction {
  readonly #run: RunInEngine;
  #open: OpenTransaction | undefined;

  constructor(run: RunInEngine) {
    this.#run = run;
  }

  /** What ReadyForQuery tells. */
  get status(): TransactionStatus {
    if (this.#open === undefined || this.#open.isImplicit) return 'I';
    return this.#open.failed ? 'E' : 'T';
  }

  /** Of the engine; undefined where a statement is a transaction of its own. */
  get id(): string | undefined {
    return this.#open?.id;
  }

  get failed(): boolean {
    return this.#open?.failed === true;
  }

  /** Whether BEGIN has made it. */
  get isExplicit(): boolean {
    return this.#open !== undefined && !this.#open.isImplicit;
  }

  get readOnly(): boolean {
    return this.#open?.readOnly === true;
  }

  /** A transaction that holds statements already, though nobody began it, becomes one that somebody did. */
  async begin(readOnly: boolean): Promise<void> {
    if (this.#open === undefined) this.#open = { ...(await this.#begun()), isImplicit: false, readOnly };
    else Object.assign(this.#open, { isImplicit: false, readOnly });
  }

  async beginImplicit(): Promise<void> {
    this.#open ??= { ...(await this.#begun()), isImplicit: true, readOnly: false };
  }

  /** A statement runs in the transaction that is open, if there is one. */
  use(): void {
    if (this.#open !== undefined) this.#open.isUsed = true;
  }

  /** @throws TesseraError ACTIVE_TRANSACTION for one that was READ ONLY when its first statement ran */
  setReadOnly(readOnly: boolean): void {
    if (this.#open === undefined) return;
    if (!readOnly && this.#open.readOnly && this.#open.isUsed) {
      fail('ACTIVE_TRANSACTION', { message: 'transaction read-write mode must be set before any query' });
    }
    this.#open.readOnly = readOnly;
  }

  async savepoint(name: string, mark: SessionMark): Promise<void> {
    const { savepoints, readOnly } = this.#explicit('SAVEPOINT');
    await this.#run(`SAVEPOINT ${quoteIdentifier(name)}`);
    savepoints.add(name, { ...mark, readOnly });
  }

  async releaseSavepoint(name: string): Promise<void> {
    const { savepoints } = this.#explicit('RELEASE SAVEPOINT');
    await this.#run(`RELEASE SAVEPOINT ${quoteIdentifier(name)}`);
    savepoints.release(name);
  }

  /** Makes a failed transaction usable again; answers what the session was at the savepoint. */
  async rollbackTo(name: string): Promise<SessionMark> {
    const open = this.#explicit('ROLLBACK TO SAVEPOINT');
    await this.#run(`ROLLBACK TO SAVEPOINT ${quoteIdentifier(name)}`);
    const mark = open.savepoints.backTo(name);
    Object.assign(open, { readOnly: mark.readOnly, failed: false });
    return mark;
  }

  #explicit(what: string): OpenTransaction {
    if (this.#open !== undefined && !this.#open.isImplicit) return this.#open;
    return fail('NO_TRANSACTION', { message: `${what} can only be used in transaction blocks` });
  }

  async #begun() {
    const update = await this.#run('BEGIN');
    if (update?.kind !== 'set') throw new Error('BEGIN tells the id of its transaction');
    const savepoints: OpenTransaction['savepoints'] = new Savepoints();
    return { id: update.value, failed: false, isUsed: false, savepoints };
  }

  fail(): void {
    if (this.#open !== undefined) this.#open.failed = true;
  }

  /**
   * Commits, or rolls back what has failed; answers which it was. Whatever happens, no transaction is open then.
   * @throws TesseraError why it was not committed, or that this is not known
   */
  async commit(): Promise<'COMMIT' | 'ROLLBACK'> {
    if (this.failed) {
      await this.rollback();
      return 'ROLLBACK';
    }
    try {
      if (this.#open !== undefined) await this.#run('COMMIT');
    } finally {
      this.#open = undefined;
    }
    return 'COMMIT';
  }

  async rollback(): Promise<void> {
    try {
      if (this.#open !== undefined) await this.#run('ROLLBACK');
    } catch (error) {
      // It was idle for too long, and is rolled back already.
      if (!(error instanceof TesseraError) || error.name !== 'NO_TRANSACTION') throw error;
    } finally {
      this.#open = undefined;
    }
  }
}
