import type {
  Action,
  DeletionVector,
  ObjectId,
  Snapshot,
  TableObject,
  Tablet,
  TabletId,
} from '@tessera/catalog';
import { TesseraError } from '@tessera/common';
import type { Kernel, KernelSession } from '@tessera/kernel';
import { type IndexShape, notInvertible, partialsSql, shapeOfIndex, subtractedSql } from '@tessera/sql';
import { discardTablets, type ScanTablet, storeInOneTablet } from '@tessera/storage-agent';
import { deletedRowsOf, type RowRange } from '@tessera/tablet';
import { sessionOptions } from '../objects/session-options.ts';
import { indexCoverage, partialsTable, type StoredIndex, storedIndexes } from '../read/index-coverage.ts';
import { isFilterIndex } from '../read/skip-indexes.ts';
import { filtersOf } from './skip-filters.ts';
import type { StoreContext } from './store-rows.ts';

export interface PartialsContext extends Pick<StoreContext, 'tables' | 'sessionValues' | 'settings'> {
  readonly kernel: Kernel;
  readonly signal: AbortSignal;
}

/** Reading so few rows costs less than reading partial rows of them. */
const FEWEST_ROWS = 256;
/** Partial rows are kept if they are fewer than this fraction of the rows. */
const LARGEST_FRACTION = 0.5;

/**
 * The actions with the partial rows that aggregating indexes keep of each tablet that they add, or delete rows of, and with the
 * filters that skip indexes keep; of every tablet of the table for an index that they add. A tablet whose partial rows cannot be
 * computed, or would be almost as many as its rows, has none: queries read its rows.
 */
export async function withPartials(
  context: PartialsContext,
  snapshot: Snapshot,
  actions: readonly Action[],
): Promise<readonly Action[]> {
  const touched = touchedTablets(snapshot, actions);
  if (touched.size === 0) return actions;
  const after = snapshot.withActions(actions);
  const added: Action[] = [];
  for (const [table, ids] of touched) {
    for (const index of storedIndexes(table)) {
      const { rest } = indexCoverage(after, table, index.partials.id);
      const missing = ids === 'all' ? rest : rest.filter(({ id }) => ids.has(id));
      added.push(...(await partialsOf(context, after, table, index, missing, snapshot)));
    }
  }
  return added.length === 0 ? actions : [...actions, ...added];
}

/** The tablets of indexed tables that have other rows after the actions, by the table as it is then. */
function touchedTablets(
  snapshot: Snapshot,
  actions: readonly Action[],
): ReadonlyMap<TableObject, ReadonlySet<TabletId> | 'all'> {
  const ids = new Map<ObjectId, Set<TabletId>>();
  const altered = new Map<ObjectId, TableObject>();
  const touch = (tableId: ObjectId, tabletId: TabletId) => {
    if (!ids.has(tableId)) ids.set(tableId, new Set());
    ids.get(tableId)!.add(tabletId);
  };
  for (const action of actions) {
    if (action.kind === 'add_tablet') touch(action.tablet.tableId, action.tablet.id);
    else if (action.kind === 'set_deletion_vector') touch(action.vector.tableId, action.vector.tabletId);
    else if (action.kind === 'alter' && action.object.kind === 'table')
      altered.set(action.object.id, action.object);
  }
  const touched = new Map<TableObject, ReadonlySet<TabletId> | 'all'>();
  for (const id of new Set([...ids.keys(), ...altered.keys()])) {
    const before = snapshot.object(id);
    const table = altered.get(id) ?? before;
    if (table?.kind !== 'table' || storedIndexes(table).length === 0) continue;
    const had = before?.kind === 'table' ? storedIndexes(before).map(({ partials }) => partials.id) : [];
    const isNew = storedIndexes(table).some(({ partials }) => !had.includes(partials.id));
    const own = ids.get(id);
    if (isNew) touched.set(table, 'all');
    else if (own !== undefined) touched.set(table, own);
  }
  return touched;
}

/**
 * Computes the partial rows of tablets that have none; for a skip index, their filters.
 * @param before the snapshot that a statement changes, whose partial rows it may subtract deleted rows from
 * @returns the actions that add them
 */
export async function partialsOf(
  context: PartialsContext,
  snapshot: Snapshot,
  table: TableObject,
  index: StoredIndex,
  tablets: readonly Tablet[],
  before?: Snapshot,
): Promise<readonly Action[]> {
  if (isFilterIndex(index)) return filtersOf(context, table, index, tablets);
  const worth = tablets.filter(
    (tablet) =>
      tablet.rows >= FEWEST_ROWS &&
      !tooMany.get(tablet)?.has(attemptKey(index, snapshot.deletionVector(table.id, tablet.id))),
  );
  if (worth.length === 0) return [];
  const { kernel, settings, signal } = context;
  const session = await kernel.session({ ...sessionOptions(settings), timeZone: 'UTC', signal });
  try {
    const shape = await shapeOfIndex(
      { expressions: index.expressions, stored: index.partials.columns, table },
      { session, settings: { timezone: 'UTC' }, sessionValues: context.sessionValues, parameters: [] },
    );
    if (shape === undefined) return [];
    if (before !== undefined) refuseInexact(context, before, table, index, shape, worth);
    const actions: Action[] = [];
    for (const tablet of worth) {
      const vector = snapshot.deletionVector(table.id, tablet.id);
      const earlier = before && earlierPartial(before, table, index, tablet);
      const partial = await partialOf(context, session, shape, { table, index, tablet, vector, earlier });
      if (partial !== undefined) actions.push({ kind: 'add_tablet', tablet: partial });
    }
    return actions;
  } finally {
    await session.close();
  }
}

/** Tablets with almost as many partial rows as rows, so that VACUUM does not compute them again and again. */
const tooMany = new WeakMap<Tablet, ReadonlySet<string>>();

const attemptKey = ({ partials }: StoredIndex, vector: DeletionVector | undefined): string =>
  `${partials.id} ${vector?.rows ?? 0}`;

interface Summarised extends ScanTablet {
  readonly table: TableObject;
  readonly index: StoredIndex;
  /** Partial rows of the tablet as it was with fewer deleted rows. */
  readonly earlier: { readonly partial: Tablet; readonly vector: DeletionVector | undefined } | undefined;
}

/** The partial rows of a tablet in an earlier snapshot, if it had any. */
function earlierPartial(
  before: Snapshot,
  table: TableObject,
  { partials }: StoredIndex,
  { id }: Tablet,
): Summarised['earlier'] {
  const partial = before.tablets(partials.id).find(({ partialOf }) => partialOf?.tabletId === id);
  return partial && { partial, vector: before.deletionVector(table.id, id) };
}

/** @throws TesseraError INVALID_ARGUMENT if the mode is native_only and the index cannot follow deleted rows exactly */
function refuseInexact(
  { tables }: PartialsContext,
  before: Snapshot,
  table: TableObject,
  index: StoredIndex,
  shape: IndexShape,
  tablets: readonly Tablet[],
): void {
  const aggregate = notInvertible(shape);
  if (tables.indexMutations !== 'native_only' || aggregate === undefined) return;
  if (!tablets.some((tablet) => earlierPartial(before, table, index, tablet) !== undefined)) return;
  const message = `Rows of table "${table.name}" cannot be deleted or updated: aggregating index "${index.name}" has ${aggregate}, which cannot follow deleted rows exactly, and execution.ai_mutations_mode is native_only`;
  const resolution = `Set execution.ai_mutations_mode to reevaluate or hybrid, or drop the index "${index.name}".`;
  throw TesseraError.of('INVALID_ARGUMENT', { message }, { resolution });
}

/** Undefined if queries should read the rows of the tablet. */
async function partialOf(
  context: PartialsContext,
  session: KernelSession,
  shape: IndexShape,
  summarised: Summarised,
): Promise<Tablet | undefined> {
  const { tables, signal } = context;
  const { table, index, tablet, vector } = summarised;
  const deletedRows = vector?.rows ?? 0;
  let stored: readonly Tablet[] = [];
  try {
    const rows = await rowsToStore(context, session, shape, summarised);
    try {
      stored = await storeInOneTablet(tables, {
        session,
        table: partialsTable(table, index),
        sql: rows.sql,
        signal,
      });
    } finally {
      rows.release();
    }
  } catch {
    // The index is an aid: rows that it cannot summarise (a sum that overflows, a division by zero) are stored nevertheless.
    return undefined;
  }
  const [partial, ...more] = stored;
  const most = (tablet.rows - deletedRows) * LARGEST_FRACTION;
  if (partial === undefined || more.length > 0 || partial.rows > most) {
    await discardTablets(tables, stored);
    tooMany.set(tablet, new Set([...(tooMany.get(tablet) ?? []), attemptKey(index, vector)]));
    return undefined;
  }
  return { ...partial, partialOf: { tableId: table.id, tabletId: tablet.id, deletedRows } };
}

/** The partial rows of a tablet as SQL: of its rows, or of earlier partial rows and the rows deleted since, where that is exact. */
async function rowsToStore(
  { tables, signal }: PartialsContext,
  session: KernelSession,
  shape: IndexShape,
  { table, index, tablet, vector, earlier }: Summarised,
): Promise<{ readonly sql: string; release(): void }> {
  const scan = (of: TableObject, one: ScanTablet, columns: readonly string[]) =>
    tables.agent.prepareScan({
      session,
      table: of,
      tablets: [one],
      columns: of.columns.filter(({ name }) => columns.includes(name)).map(({ id }) => id),
      rowPositions: false,
      once: true,
      signal,
    });
  const isNative = tables.indexMutations !== 'reevaluate' && notInvertible(shape) === undefined;
  if (!isNative || earlier === undefined || vector === undefined) {
    const { sql, release } = await scan(table, { tablet, vector }, shape.columns);
    return { sql: await partialsSql(session, shape, sql), release };
  }
  const partials = partialsTable(table, index);
  const stored = partials.columns.map(({ name }) => name);
  const rows = await deletedRanges(tables.store, vector);
  const before = await scan(partials, { tablet: earlier.partial }, stored);
  try {
    const deleted = await scan(table, { tablet, vector: earlier.vector, rows }, shape.columns);
    const release = () => {
      before.release();
      deleted.release();
    };
    return { sql: await subtractedSql(session, shape, before.sql, deleted.sql), release };
  } catch (error) {
    before.release();
    throw error;
  }
}

/** The positions of all deleted rows; those that were deleted before are left out by the earlier vector. */
async function deletedRanges(
  store: PartialsContext['tables']['store'],
  vector: DeletionVector,
): Promise<readonly RowRange[]> {
  const object = vector.key === undefined ? undefined : await store.get(vector.key);
  return [...deletedRowsOf(vector, object?.body).ranges()];
}
