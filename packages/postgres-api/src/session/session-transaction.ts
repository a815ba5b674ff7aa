import { asTransactionId, fail, Savepoints, TesseraError, type TransactionId } from '@tessera/common';
import type { SessionUpdate } from '@tessera/coordinator';
import { quoteIdentifier } from '@tessera/sql';
import type { ParametersMark } from '../parameters/session-parameters.ts';
import type { TransactionStatus } from '../protocol/backend-message.ts';
import type { Portal } from './portal.ts';

/** Runs a transaction statement in the engine and returns the transaction that is open afterwards. */
export type RunInEngine = (sql: string) => Promise<SessionUpdate | undefined>;

/** The session's state at a savepoint, apart from what the engine knows of the transaction. */
export interface SessionMark {
  readonly parameters: ParametersMark;
  readonly portals: ReadonlySet<Portal>;
}

interface OpenTransaction {
  readonly id: TransactionId;
  /**
   * Whether the transaction was opened without BEGIN. It then holds the statements up to the next Sync, or
   * those of one Query message.
   */
  isImplicit: boolean;
  readOnly: boolean;
  /** Whether a statement has run in the transaction. Its access mode can no longer change then. */
  isUsed: boolean;
  failed: boolean;
  readonly savepoints: Savepoints<SessionMark & { readonly readOnly: boolean }>;
}

/**
 * The transaction of a connection with PostgreSQL's semantics: a failed transaction only accepts statements
 * that end it.
 */
export class SessionTransaction {
  readonly #run: RunInEngine;
  #open: OpenTransaction | undefined;

  constructor(run: RunInEngine) {
    this.#run = run;
  }

  /** The status for ReadyForQuery. */
  get status(): TransactionStatus {
    if (this.#open === undefined || this.#open.isImplicit) return 'I';
    return this.#open.failed ? 'E' : 'T';
  }

  /** The engine's id of the transaction; undefined if each statement is a transaction of its own. */
  get id(): TransactionId | undefined {
    return this.#open?.id;
  }

  get failed(): boolean {
    return this.#open?.failed === true;
  }

  /** Whether BEGIN opened the transaction. */
  get isExplicit(): boolean {
    return this.#open !== undefined && !this.#open.isImplicit;
  }

  get readOnly(): boolean {
    return this.#open?.readOnly === true;
  }

  /** Opens a transaction. An implicit transaction that already holds statements becomes an explicit one. */
  async begin(readOnly: boolean): Promise<void> {
    if (this.#open === undefined) this.#open = { ...(await this.#begun()), isImplicit: false, readOnly };
    else Object.assign(this.#open, { isImplicit: false, readOnly });
  }

  async beginImplicit(): Promise<void> {
    this.#open ??= { ...(await this.#begun()), isImplicit: true, readOnly: false };
  }

  /** Records that a statement runs in the open transaction, if there is one. */
  use(): void {
    if (this.#open !== undefined) this.#open.isUsed = true;
  }

  /** @throws TesseraError ACTIVE_TRANSACTION if the transaction was READ ONLY when its first statement ran */
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

  /** Makes a failed transaction usable again and returns the session's state at the savepoint. */
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
    return { id: asTransactionId(update.value), failed: false, isUsed: false, savepoints };
  }

  fail(): void {
    if (this.#open !== undefined) this.#open.failed = true;
  }

  /**
   * Commits, or rolls back a failed transaction, and returns which it did. No transaction is open afterwards
   * in any case.
   * @throws TesseraError why the commit failed, or that its outcome is unknown
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
      // The transaction was idle for too long and has already been rolled back.
      if (!(error instanceof TesseraError) || error.name !== 'NO_TRANSACTION') throw error;
    } finally {
      this.#open = undefined;
    }
  }
}
