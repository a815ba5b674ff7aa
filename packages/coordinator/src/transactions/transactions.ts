import type { Action, CatalogChange, ObjectId, Snapshot, Transaction } from '@tessera/catalog';
import { NO_CHANGE } from '@tessera/catalog';
import {
  asQueryId,
  newTransactionId,
  Savepoints,
  startTimer,
  TesseraError,
  type Timer,
  type TransactionId,
  traced,
} from '@tessera/common';
import type { Pin, StorageManager } from '@tessera/storage-manager';
import type { TransactionInfo } from '@tessera/system-catalog';
import type { TemporaryTables } from '../temporary/temporary-tables.ts';
import type { StatementSnapshot } from './statement-snapshot.ts';

/** What a statement of the transaction changed. */
interface CommittedChange extends CatalogChange {
  readonly affectedRows?: number;
}

export interface TransactionsOptions {
  readonly manager: StorageManager;
  /** A transaction that was idle for this long is rolled back. */
  readonly idleTimeoutMs?: number;
  /** Commits the changes of a transaction that has read `base`; see `commitOverMerges`. */
  readonly commit: (base: Snapshot, transaction: Transaction, signal: AbortSignal) => Promise<void>;
  /** Deletes the objects that a transaction left in the object store if it does not commit. */
  readonly discard: (actions: readonly Action[]) => Promise<void>;
}

const DEFAULT_IDLE_TIMEOUT_MS = 600_000;

/**
 * The transactions that clients opened on this node with BEGIN; they are kept in memory and lost with the
 * process.
 */
export class Transactions {
  readonly #options: TransactionsOptions;
  readonly #open = new Map<TransactionId, OpenTransaction>();

  constructor(options: TransactionsOptions) {
    this.#options = options;
  }

  async begin(
    user: string,
    { readOnly = false }: { readonly readOnly?: boolean } = {},
  ): Promise<OpenTransaction> {
    const { manager, idleTimeoutMs = DEFAULT_IDLE_TIMEOUT_MS } = this.#options;
    const base = await manager.latest();
    const transaction = new OpenTransaction({
      id: newTransactionId(),
      user,
      readOnly,
      base,
      pins: [manager.pin(base), manager.beginWrite()],
      idleTimeoutMs,
      onIdle: () => this.#forget(transaction),
    });
    this.#open.set(transaction.id, transaction);
    return transaction;
  }

  /** @throws TesseraError NO_TRANSACTION */
  get(id: TransactionId): OpenTransaction {
    return this.#open.get(id) ?? notOpen(id);
  }

  /** @throws TesseraError NO_TRANSACTION for a transaction of another user, as if it did not exist */
  checkOwner(id: TransactionId, user: string): void {
    const transaction = this.#open.get(id);
    if (transaction !== undefined && transaction.user !== user) notOpen(id);
  }

  isOpen(id: TransactionId): boolean {
    return this.#open.has(id);
  }

  /** Aborts the transaction, if it is open: from now on it accepts only ROLLBACK. */
  abort(id: TransactionId): void {
    this.#open.get(id)?.abort();
  }

  list(): readonly TransactionInfo[] {
    return [...this.#open.values()].map((transaction) => transaction.info());
  }

  /**
   * The snapshot that a query reads: that of its transaction, or the newest one.
   * @throws TesseraError NO_TRANSACTION, TRANSACTION_ABORTED, METADATA_UNAVAILABLE
   */
  async snapshotFor(request: {
    readonly transactionId?: TransactionId | undefined;
  }): Promise<StatementSnapshot> {
    const { manager } = this.#options;
    if (request.transactionId !== undefined) {
      const transaction = this.get(request.transactionId);
      const snapshot = transaction.read();
      const pin = manager.pin(transaction.base);
      return { snapshot, release: () => pin.release() };
    }
    const snapshot = await manager.latest();
    const pin = manager.pin(snapshot);
    return { snapshot, release: () => pin.release() };
  }

  /**
   * @throws TesseraError NO_TRANSACTION, TRANSACTION_ABORTED, TRANSACTION_CONFLICT and the other errors of a
   * commit
   */
  async commit(id: TransactionId, signal: AbortSignal, temporary?: TemporaryTables): Promise<void> {
    if (!this.#open.has(id) && (await this.wasCommitted(id))) return;
    const transaction = this.get(id);
    await transaction.settled();
    if (transaction.aborted) throw TesseraError.of('TRANSACTION_ABORTED', {});
    const ending = temporary?.atCommit(transaction.read()) ?? [];
    if (ending.length > 0) transaction.change(`${id}: ON COMMIT`, { actions: ending });
    transaction.seal();
    const { actions, base, readVersion, committedAs } = transaction;
    try {
      if (actions.length > 0) {
        await traced('commit', { 'tessera.actions': actions.length }, () =>
          this.#options.commit(
            base,
            {
              idempotencyKey: committedAs,
              // Several queries can have made the changes, so the log names the transaction.
              queryId: asQueryId(id),
              readVersion,
              actions,
            },
            signal,
          ),
        );
      }
    } catch (error) {
      // A transaction with an unknown outcome can be committed again by another COMMIT: the log recognises
      // it.
      if (isCertainlyNotCommitted(error)) await this.#forget(transaction);
      throw error instanceof TesseraError ? withNames(error, base) : error;
    }
    this.#open.delete(id);
    transaction.end();
  }

  /**
   * Whether a transaction was committed under this idempotency key in the last 24 hours: clients repeat a
   * request if they lost the answer.
   */
  async wasCommitted(idempotencyKey: string): Promise<boolean> {
    const snapshot = await this.#options.manager.latest();
    return snapshot.committedVersion(idempotencyKey) !== undefined;
  }

  /** @throws TesseraError NO_TRANSACTION */
  async rollback(id: TransactionId): Promise<void> {
    const transaction = this.get(id);
    await transaction.settled();
    await this.#forget(transaction);
  }

  /**
   * Undoes the changes of the transaction since the savepoint, even after one of its statements has failed.
   * @throws TesseraError NO_TRANSACTION, UNDEFINED_SAVEPOINT
   */
  async rollbackTo(id: TransactionId, savepoint: string): Promise<void> {
    await this.#options.discard(await this.get(id).rollbackTo(savepoint));
  }

  /** Rolls back all open transactions. */
  async close(): Promise<void> {
    await Promise.all([...this.#open.values()].map((transaction) => this.#forget(transaction)));
  }

  async #forget(transaction: OpenTransaction): Promise<void> {
    this.#open.delete(transaction.id);
    transaction.end();
    await this.#options.discard(transaction.actions);
  }
}

function notOpen(id: TransactionId): never {
  const message = `No transaction ${id} is open on this node: it ended, was idle for too long, or the node was restarted`;
  throw TesseraError.of('NO_TRANSACTION', { message });
}

/**
 * Adds names to the error: the log only has the ids of dropped objects, but the transaction saw their names.
 */
function withNames(error: TesseraError, base: Snapshot): TesseraError {
  const message = error.message.replaceAll(/\b[0-9A-HJKMNP-TV-Z]{26}\b/g, (id) => {
    const name = base.object(id as ObjectId)?.name;
    return name === undefined ? id : `"${name}"`;
  });
  return message === error.message ? error : error.with({ message });
}

/** Whether a failed commit certainly had no effect. */
export const isCertainlyNotCommitted = (error: unknown): boolean =>
  error instanceof TesseraError && error.name !== 'METADATA_UNAVAILABLE' && error.name !== 'INTERNAL';

interface OpenTransactionOptions {
  readonly id: TransactionId;
  readonly user: string;
  readonly readOnly: boolean;
  readonly base: Snapshot;
  readonly pins: readonly Pin[];
  readonly idleTimeoutMs: number;
  readonly onIdle: () => Promise<void>;
}

/** A transaction between BEGIN and its end: its snapshot and its changes so far. */
export class OpenTransaction {
  readonly id: TransactionId;
  readonly #options: OpenTransactionOptions;
  readonly #startedAt = new Date();
  readonly #actions: Action[] = [];
  readonly #savepoints = new Savepoints<{ readonly snapshot: Snapshot; readonly actions: number }>();
  #snapshot: Snapshot;
  /** The results of statements that may be repeated, by their idempotency keys. */
  readonly #done = new Map<string, CommittedChange>();
  #committedAs: string | undefined;
  #aborted = false;
  #sealed = false;
  #statements = 0;
  #lastUsedAt = new Date();
  #idle: Timer | undefined;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(options: OpenTransactionOptions) {
    this.id = options.id;
    this.#options = options;
    this.#snapshot = options.base;
    this.#watchIdle();
  }

  get aborted(): boolean {
    return this.#aborted;
  }

  get actions(): readonly Action[] {
    return this.#actions;
  }

  /** The user who began it. */
  get user(): string {
    return this.#options.user;
  }

  /** Whether it was begun READ ONLY, so that it accepts no statement that changes something. */
  get readOnly(): boolean {
    return this.#options.readOnly;
  }

  get base(): Snapshot {
    return this.#options.base;
  }

  get readVersion(): number {
    return this.base.version;
  }

  /** Its idempotency key in the log. */
  get committedAs(): string {
    return this.#committedAs ?? this.id;
  }

  /** Sets the idempotency key by which a repetition of its whole request finds it in the log. */
  commitAs(name: string): void {
    this.#committedAs = name;
  }

  /** @throws TesseraError TRANSACTION_ABORTED, NO_TRANSACTION once its COMMIT has begun */
  read(): Snapshot {
    if (this.#aborted) throw TesseraError.of('TRANSACTION_ABORTED', {});
    this.#checkOpen();
    return this.#snapshot;
  }

  #checkOpen(): void {
    if (!this.#sealed) return;
    const message = `Transaction ${this.id} is being committed: only COMMIT is accepted`;
    throw TesseraError.of('NO_TRANSACTION', { message });
  }

  /** Adds a change for COMMIT; later statements of the transaction see it. */
  change(name: string, change: CommittedChange): void {
    const { actions, affectedRows } = change;
    this.#snapshot = this.#snapshot.withActions(actions);
    this.#actions.push(...actions);
    this.#done.set(name, affectedRows === undefined ? NO_CHANGE : { actions: [], affectedRows });
  }

  /** The result of a statement that is repeated, without its actions; undefined for a new statement. */
  changeOf(name: string): CommittedChange | undefined {
    return this.#done.get(name);
  }

  /** Runs a statement of the transaction, after the previous ones. A failure aborts the transaction. */
  run<T>(statement: () => Promise<T>): Promise<T> {
    return this.#inTurn(() => {
      this.read();
      return statement();
    });
  }

  /** @throws TesseraError TRANSACTION_ABORTED, NO_TRANSACTION */
  savepoint(name: string): Promise<void> {
    return this.run(async () =>
      this.#savepoints.add(name, { snapshot: this.#snapshot, actions: this.#actions.length }),
    );
  }

  /** @throws TesseraError UNDEFINED_SAVEPOINT, TRANSACTION_ABORTED, NO_TRANSACTION */
  releaseSavepoint(name: string): Promise<void> {
    return this.run(async () => this.#savepoints.release(name));
  }

  /**
   * Undoes the changes since the savepoint and returns them. @throws TesseraError UNDEFINED_SAVEPOINT,
   * NO_TRANSACTION
   */
  rollbackTo(name: string): Promise<readonly Action[]> {
    return this.#inTurn(async () => {
      this.#checkOpen();
      const { snapshot, actions } = this.#savepoints.backTo(name);
      this.#snapshot = snapshot;
      this.#aborted = false;
      return this.#actions.splice(actions);
    });
  }

  async #inTurn<T>(statement: () => Promise<T>): Promise<T> {
    const before = this.#turn;
    const work = before.then(async () => {
      this.#idle?.clear();
      this.#statements += 1;
      try {
        return await statement();
      } catch (error) {
        this.abort();
        throw error;
      } finally {
        this.#lastUsedAt = new Date();
        this.#watchIdle();
      }
    });
    this.#turn = work.catch(() => undefined);
    return work;
  }

  abort(): void {
    if (!this.#sealed) this.#aborted = true;
  }

  /** Accepts no further changes: COMMIT has begun. */
  seal(): void {
    this.#sealed = true;
  }

  /** Resolves when no statement of the transaction is running. */
  async settled(): Promise<void> {
    await this.#turn;
  }

  end(): void {
    this.#idle?.clear();
    for (const pin of this.#options.pins) pin.release();
  }

  info(): TransactionInfo {
    return {
      id: this.id,
      user: this.#options.user,
      startedAt: this.#startedAt,
      lastUsedAt: this.#lastUsedAt,
      status: this.#aborted ? 'aborted' : 'open',
      readVersion: this.readVersion,
      statements: this.#statements,
    };
  }

  #watchIdle(): void {
    this.#idle?.clear();
    this.#idle = startTimer(() => void this.#options.onIdle(), this.#options.idleTimeoutMs);
    this.#idle.unref();
  }
}
