import type { Snapshot } from '@tessera/catalog';
import { cancellation, pause, retryDecision, TesseraError, traced } from '@tessera/common';
import { inSession } from '../temporary/session-snapshot.ts';
import { isCertainlyNotCommitted } from '../transactions/transactions.ts';
import type { Change, ChangeContext } from './change.ts';
import { commitOverMerges } from './commit-over-merges.ts';
import { discardTablets } from './discard-tablets.ts';
import { withPartials } from './index-partials.ts';

/** The number of attempts after an error that a newer snapshot may only have caused by a race that is over. */
const TRIES_AFTER_A_RACE = 2;
const MAX_TRYING_MS = 10_000;
/** A statement that ran for longer, or was executed again before, is not executed again because tablets were merged. */
const LONG_MS = 1_000;
const FIRST_BACKOFF_MS = 5;
const MAX_BACKOFF_MS = 500;

/**
 * Runs a statement that changes tables or the catalog: in its transaction, or in one of its own that commits
 * at once and is retried on a newer snapshot if another transaction was first.
 * @throws TesseraError TRANSACTION_CONFLICT if other transactions were first every time; METADATA_UNAVAILABLE
 * if it is unknown whether it was committed
 */
export async function commitChange(
  context: ChangeContext,
  work: (snapshot: Snapshot) => Promise<Change>,
): Promise<Change> {
  const { transactionId, temporary } = context.run.request;
  if (transactionId === undefined) return autocommit(context, work);
  const transaction = context.transactions.get(transactionId);
  return transaction.run(async () => {
    const before = transaction.changeOf(context.idempotencyKey);
    if (before !== undefined) return before;
    const change = await indexed(context, inSession(transaction.read(), temporary), work);
    try {
      transaction.change(context.idempotencyKey, change);
    } catch (error) {
      await change.returned?.release();
      throw error;
    }
    context.run.query.activity.insertedBytes += addedBytes(change);
    return change;
  });
}

async function autocommit(
  context: ChangeContext,
  work: (snapshot: Snapshot) => Promise<Change>,
): Promise<Change> {
  const { signal } = context.run.query;
  const startedAt = Date.now();
  for (let tries = 1; ; tries += 1) {
    try {
      return await once(context, work, () => tries > 1 || Date.now() - startedAt > LONG_MS);
    } catch (error) {
      if (!(error instanceof LostRace)) throw error;
      const mayTry = retryDecision(error.cause, 'commit')?.attempts ?? TRIES_AFTER_A_RACE;
      if (tries >= mayTry || Date.now() - startedAt > MAX_TRYING_MS) throw error.cause;
    }
    context.run.query.activity.retries += 1;
    const longest = Math.min(MAX_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** (tries - 1));
    await pause(Math.random() * longest, { signal }).catch(() => {
      throw cancellation(signal);
    });
  }
}

const addedBytes = ({ actions }: Change): number =>
  actions.reduce((sum, action) => sum + (action.kind === 'add_tablet' ? action.tablet.bytes : 0), 0);

/**
 * The commit was refused because of a conflict: on a newer snapshot, the statement may succeed or have an
 * error of its own.
 */
class LostRace extends Error {
  override readonly cause: TesseraError;

  constructor(cause: TesseraError) {
    super(cause.message);
    this.cause = cause;
  }
}

async function once(
  context: ChangeContext,
  work: (snapshot: Snapshot) => Promise<Change>,
  isLong: () => boolean,
): Promise<Change> {
  const { manager } = context.tables;
  const snapshot = await manager.latest();
  if (snapshot.committedVersion(context.idempotencyKey) !== undefined)
    return context.results.get(context.idempotencyKey);
  const pins = [manager.pin(snapshot), manager.beginWrite()];
  try {
    const change = await committedWith(context, snapshot, work);
    try {
      if (change.actions.length > 0) await commit(context, snapshot, change, isLong());
    } catch (error) {
      await change.returned?.release();
      throw error;
    }
    context.run.query.activity.insertedBytes += addedBytes(change);
    return change;
  } finally {
    for (const pin of pins) pin.release();
  }
}

/**
 * The actions of a statement that is a transaction of its own, including the ON COMMIT actions of the
 * session's temporary tables.
 */
async function committedWith(
  context: ChangeContext,
  snapshot: Snapshot,
  work: (snapshot: Snapshot) => Promise<Change>,
): Promise<Change> {
  const { temporary } = context.run.request;
  const change = await indexed(context, inSession(snapshot, temporary), work);
  if (temporary === undefined || change.actions.length === 0) return change;
  const ending = temporary.atCommit(snapshot.withActions(change.actions));
  return ending.length === 0 ? change : { ...change, actions: [...change.actions, ...ending] };
}

/** The change of a statement with the partial rows that aggregating indexes keep of it. */
async function indexed(
  context: ChangeContext,
  snapshot: Snapshot,
  work: (snapshot: Snapshot) => Promise<Change>,
): Promise<Change> {
  const change = await work(snapshot);
  const { kernel, query } = context.run;
  try {
    const indexes = { ...context, kernel, signal: query.signal };
    const actions = await withPartials(indexes, snapshot, change.actions);
    return actions === change.actions ? change : { ...change, actions };
  } catch (error) {
    await change.returned?.release();
    await discardTablets(context.tables, change.actions);
    throw error;
  }
}

async function commit(
  context: ChangeContext,
  snapshot: Snapshot,
  change: Change,
  isLong: boolean,
): Promise<void> {
  const { actions } = change;
  const { tables, idempotencyKey, run } = context;
  const { queryId, signal } = run.query;
  const transaction = { idempotencyKey, queryId, readVersion: snapshot.version, actions };
  try {
    if (signal.aborted) throw cancellation(signal);
    await traced('commit', { 'tessera.actions': actions.length }, async () =>
      isLong
        ? commitOverMerges({ ...context, kernel: run.kernel, signal }, snapshot, transaction)
        : tables.manager.commit(transaction),
    );
    context.results.add(idempotencyKey, change);
  } catch (error) {
    if (!isCertainlyNotCommitted(error)) throw error;
    await discardTablets(tables, actions);
    if (error instanceof TesseraError && error.name !== 'QUERY_CANCELLED') throw new LostRace(error);
    throw error;
  }
}
