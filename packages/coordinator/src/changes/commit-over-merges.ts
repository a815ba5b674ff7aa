import type { Action, ObjectId, Snapshot, TableObject, Tablet, Transaction } from '@tessera/catalog';
import { TesseraError } from '@tessera/common';
import { quoteName } from '@tessera/kernel';
import type { ScanTablet } from '@tessera/storage-agent';
import { sessionOptions } from '../objects/session-options.ts';
import { isCertainlyNotCommitted } from '../transactions/transactions.ts';
import { deleteRows } from './delete-rows.ts';
import { discardTablets } from './discard-tablets.ts';
import { type PartialsContext, withPartials } from './index-partials.ts';
import { countRows, rowPositions } from './row-positions.ts';

/** The maximum number of attempts to commit if one merge after the other comes first. */
const MAX_ATTEMPTS = 5;

/**
 * Commits a transaction. If tablets whose rows it deletes were merged after it began, it deletes the same rows of the merged
 * tablets instead, so that maintenance never makes a transaction fail.
 * @param base the snapshot that the transaction has read; the caller must have pinned it
 * @throws TesseraError TRANSACTION_CONFLICT if another transaction changed the rows or their tablets, and the other errors of a
 * commit; the objects of `transaction` are then left to the caller
 */
export async function commitOverMerges(
  context: PartialsContext,
  base: Snapshot,
  transaction: Transaction,
): Promise<void> {
  const { manager } = context.tables;
  let { actions } = transaction;
  let movedAt: number | undefined;
  for (let attempt = 1; ; attempt += 1) {
    try {
      await manager.commit({ ...transaction, actions });
      return await discardTablets(context.tables, without(transaction.actions, actions));
    } catch (error) {
      if (isCertainlyNotCommitted(error))
        await discardTablets(context.tables, without(actions, transaction.actions));
      const isConflict = error instanceof TesseraError && error.name === 'TRANSACTION_CONFLICT';
      if (!isConflict || attempt === MAX_ATTEMPTS) throw error;
      const latest = await manager.latest();
      // The conflict is another one if no merge was committed since.
      if (latest.version === movedAt) throw error;
      movedAt = latest.version;
      const moved = await movedToMerged(context, base, latest, transaction.actions);
      if (moved === undefined) throw error;
      actions = moved;
    }
  }
}

function without(actions: readonly Action[], others: readonly Action[]): readonly Action[] {
  const excluded = new Set(others);
  return actions.filter((action) => !excluded.has(action));
}

/**
 * The actions with the deleted rows of merged tablets found in the tablets that replaced them, or undefined if that does not
 * resolve the conflict: no tablet is gone, or its rows are in no new tablet, so that another transaction changed them.
 */
async function movedToMerged(
  context: PartialsContext,
  base: Snapshot,
  latest: Snapshot,
  actions: readonly Action[],
): Promise<readonly Action[] | undefined> {
  const pin = context.tables.manager.pin(latest);
  const after = base.withActions(actions);
  const deletions: Action[] = [];
  try {
    const gone = goneTablets(base, latest, actions);
    if (gone.size === 0) return undefined;
    for (const [tableId, tablets] of gone) {
      const moved = await deletedInMerged(context, { base, after, latest }, tableId, tablets);
      if (moved === undefined) {
        await discardTablets(context.tables, deletions);
        return undefined;
      }
      deletions.push(...moved);
    }
    const others = actions.filter((action) => {
      const target = tabletOf(action);
      return target === undefined || !gone.get(target.tableId)?.some(({ id }) => id === target.tabletId);
    });
    return [...(await withPartials(context, latest, deletions)), ...others];
  } catch (error) {
    await discardTablets(context.tables, deletions);
    throw error;
  } finally {
    pin.release();
  }
}

/** The tablets whose rows the actions delete and which the newest snapshot does not have any more, by table. */
function goneTablets(
  base: Snapshot,
  latest: Snapshot,
  actions: readonly Action[],
): ReadonlyMap<ObjectId, readonly Tablet[]> {
  const gone = new Map<ObjectId, Set<Tablet>>();
  for (const action of actions) {
    const target = tabletOf(action);
    if (target === undefined || action.kind === 'add_tablet') continue;
    const { tableId, tabletId } = target;
    const tablet = base.tablet(tableId, tabletId);
    if (tablet === undefined || latest.tablet(tableId, tabletId) !== undefined) continue;
    if (!gone.has(tableId)) gone.set(tableId, new Set());
    gone.get(tableId)!.add(tablet);
  }
  return new Map([...gone].map(([id, tablets]) => [id, [...tablets]]));
}

/** The tablet of a table whose rows the action deletes, or summarises in partial rows of an index. */
function tabletOf(action: Action) {
  if (action.kind === 'remove_tablet') return action;
  if (action.kind === 'set_deletion_vector') return action.vector;
  return action.kind === 'add_tablet' ? action.tablet.partialOf : undefined;
}

interface Snapshots {
  readonly base: Snapshot;
  /** The base after the actions of the transaction. */
  readonly after: Snapshot;
  readonly latest: Snapshot;
}

/**
 * Deletes the rows that a transaction deleted in tablets which are gone, in the tablets that are new: a merge keeps the values of
 * rows, not their positions. Rows with equal values are interchangeable, so that only their number matters.
 */
async function deletedInMerged(
  { tables, kernel, settings, signal }: PartialsContext,
  { base, after, latest }: Snapshots,
  tableId: ObjectId,
  gone: readonly Tablet[],
): Promise<readonly Action[] | undefined> {
  const table = sameTable(base, after, latest, tableId);
  if (table === undefined) return undefined;
  const before = gone.map((tablet) => ({ tablet, vector: base.deletionVector(tableId, tablet.id) }));
  const kept = gone
    .filter(({ id }) => after.tablet(tableId, id) !== undefined)
    .map((tablet) => ({ tablet, vector: after.deletionVector(tableId, tablet.id) }));
  // The rows of a new tablet with deleted rows were changed by another transaction.
  const merged = latest
    .tablets(tableId)
    .filter(({ id }) => base.tablet(tableId, id) === undefined)
    .filter(({ id }) => latest.deletionVector(tableId, id) === undefined)
    .map((tablet) => ({ tablet }));
  const session = await kernel.session({ ...sessionOptions(settings), signal });
  const scans: { release(): void }[] = [];
  const rowsOf = async (tablets: readonly ScanTablet[]) => {
    const columns = table.columns.map(({ id }) => id);
    const rowPositions = tablets === merged;
    const scan = await tables.agent.prepareScan({
      session,
      table,
      tablets,
      columns,
      rowPositions,
      once: true,
      signal,
    });
    scans.push(scan);
    const positions = rowPositions ? '"$tablet", "$row", ' : '';
    const values = table.columns.map(({ name }, i) => `${quoteName(name)} AS v${i}`);
    return `SELECT ${positions}${values.join(', ')} FROM ${scan.sql} AS scanned`;
  };
  try {
    const remaining = kept.length === 0 ? '' : ` EXCEPT ALL (${await rowsOf(kept)})`;
    const deleted = `(${await rowsOf(before)})${remaining}`;
    const isSame = table.columns.map((_, i) => `merged.v${i} IS NOT DISTINCT FROM deleted.v${i}`);
    const found = await rowPositions(
      session,
      `SELECT "$tablet", "$row" FROM (${await rowsOf(merged)}) AS merged
      JOIN (SELECT *, count(*) AS "$rows", row_number() OVER () AS "$group" FROM (${deleted}) AS bag GROUP BY ALL) AS deleted
      ON ${isSame.join(' AND ')} QUALIFY row_number() OVER (PARTITION BY "$group") <= "$rows"`,
    );
    if (countRows(found) !== liveRows(before) - liveRows(kept)) return undefined;
    return await deleteRows(tables.store, table, merged, found);
  } finally {
    for (const scan of scans) scan.release();
    await session.close();
  }
}

/** The table, if neither the transaction nor another one changed its columns or dropped it. */
function sameTable(base: Snapshot, after: Snapshot, latest: Snapshot, id: ObjectId): TableObject | undefined {
  const tables = [base, after, latest].map((snapshot) => snapshot.object(id));
  const [table] = tables;
  if (table?.kind !== 'table') return undefined;
  const isSame = tables.every((t) => t?.kind === 'table' && t.schemaVersion === table.schemaVersion);
  return isSame ? table : undefined;
}

const liveRows = (tablets: readonly ScanTablet[]): number =>
  tablets.reduce((sum, { tablet, vector }) => sum + tablet.rows - (vector?.rows ?? 0), 0);
