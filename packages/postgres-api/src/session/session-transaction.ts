import { TesseraError } from '@tessera/common';
import type { SessionUpdate } from '@tessera/coordinator';
import type { TransactionStatus } from '../protocol/backend-message.ts';

/** Runs BEGIN, COMMIT or ROLLBACK in the engine; what it answers is the transaction that is open then. */
export type RunInEngine = (sql: 'BEGIN' | 'COMMIT' | 'ROLLBACK') => Promise<SessionUpdate | undefined>;

interface OpenTransaction {
  readonly id: string;
  /** It holds the statements up to the next Sync, or of one Query message; no BEGIN made it. */
  isImplicit: boolean;
  readOnly: boolean;
  failed: boolean;
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

  setReadOnly(readOnly: boolean): void {
    if (this.#open !== undefined) this.#open.readOnly = readOnly;
  }

  async #begun() {
    const update = await this.#run('BEGIN');
    if (update?.kind !== 'set') throw new Error('BEGIN tells the id of its transaction');
    return { id: update.value, failed: false };
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
