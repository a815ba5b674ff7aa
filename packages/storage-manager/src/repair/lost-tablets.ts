import type { Action, Snapshot, TableObject, Tablet } from '@tessera/catalog';
import { ownCommitIds, retryDecision } from '@tessera/common';
import type { ObjectStore } from '@tessera/object-store';
import { inParallel } from '../backup/in-parallel.ts';
import type { StorageManager } from '../storage-manager.ts';

/** The maximum number of tablets that one commit removes. */
const TABLETS_PER_COMMIT = 1_000;
const ATTEMPTS = 5;

/**
 * Removes every lost tablet from the catalog. The objects are checked again at the version that is changed,
 * so a tablet that others removed or wrote meanwhile is never touched.
 * @throws TesseraError TRANSACTION_CONFLICT if others keep changing the same tablets
 */
export async function removeLostTablets(
  manager: StorageManager,
  store: ObjectStore,
  signal: AbortSignal,
): Promise<{ readonly removed: Inspection; readonly after: Inspection }> {
  for (let attempt = 1; ; attempt++) {
    const snapshot = await manager.latest();
    const removed = await inspectTables(snapshot, store, signal);
    const actions = removalOf(removed.damaged.flatMap(({ lost }) => lost));
    try {
      for (let from = 0; from < actions.length; from += TABLETS_PER_COMMIT) {
        const part = actions.slice(from, from + TABLETS_PER_COMMIT);
        await manager.commit({
          ...ownCommitIds('repair-'),
          readVersion: snapshot.version,
          actions: part,
        });
      }
      return { removed, after: await inspectTables(await manager.latest(), store, signal) };
    } catch (error) {
      if (retryDecision(error, 'commit') === undefined || attempt === ATTEMPTS) throw error;
    }
  }
}

/** A tablet that can no longer be read. */
interface LostTablet {
  readonly tablet: Tablet;
  /** The key of the object that the store no longer holds. */
  readonly key: string;
  /** `index`: partial rows of an aggregating index, instead of which queries read the rows of the table. */
  readonly what: 'rows' | 'deletion vector' | 'index';
  /** The number of lost rows: those of the tablet that were not deleted. */
  readonly liveRows: number;
}

export interface DamagedTable {
  /** The name `database.schema.table`. */
  readonly name: string;
  readonly table: TableObject;
  /** The number of all tablets of the table, including lost ones. */
  readonly tablets: number;
  /** The number of rows in all of them that were not deleted. */
  readonly liveRows: number;
  readonly lost: readonly LostTablet[];
}

export interface Inspection {
  readonly version: number;
  readonly tables: number;
  readonly tablets: number;
  readonly damaged: readonly DamagedTable[];
}

const PREFIXES = ['tablets/', 'dv/'];
const CONCURRENCY = 16;

/**
 * Finds objects that a snapshot of the catalog refers to and the store does not hold. A tablet whose deletion
 * vector is missing counts as lost: nobody knows which of its rows were deleted, and deleted rows must not
 * reappear.
 */
export async function inspectTables(
  snapshot: Snapshot,
  store: ObjectStore,
  signal: AbortSignal,
): Promise<Inspection> {
  const missing = await missingKeys(snapshot, store, signal);
  const damaged: DamagedTable[] = [];
  let [tables, tablets] = [0, 0];
  for (const { name, table } of tablesOf(snapshot)) {
    const all = snapshot.tablets(table.id);
    tables++;
    tablets += all.length;
    const lost = all.flatMap((tablet) => lostOf(snapshot, tablet, missing) ?? []);
    lost.push(...lostOfIndexes(snapshot, table, lost, missing));
    if (lost.length === 0) continue;
    const liveRows = all.reduce((sum, tablet) => sum + liveRowsOf(snapshot, tablet), 0);
    damaged.push({ name, table, tablets: all.length, liveRows, lost });
  }
  return { version: snapshot.version, tables, tablets, damaged };
}

/** The actions that remove lost tablets from the catalog. */
const removalOf = (lost: readonly LostTablet[]): Action[] =>
  lost.map(({ tablet }) => ({
    kind: 'remove_tablet',
    tableId: tablet.tableId,
    tabletId: tablet.id,
    reason: 'delete',
  }));

function lostOf(snapshot: Snapshot, tablet: Tablet, missing: ReadonlySet<string>): LostTablet | undefined {
  const liveRows = liveRowsOf(snapshot, tablet);
  if (tablet.key !== undefined && missing.has(tablet.key))
    return { tablet, key: tablet.key, what: 'rows', liveRows };
  const { key } = snapshot.deletionVector(tablet.tableId, tablet.id) ?? {};
  if (key !== undefined && missing.has(key)) return { tablet, key, what: 'deletion vector', liveRows };
  return undefined;
}

/** The lost partial rows of tablets that are there: those of a lost tablet are removed with it. */
function lostOfIndexes(
  snapshot: Snapshot,
  { indexes }: TableObject,
  lost: readonly LostTablet[],
  missing: ReadonlySet<string>,
): LostTablet[] {
  const removed = new Set(lost.map(({ tablet }) => tablet.id));
  return indexes
    .flatMap(({ partials }) => (partials === undefined ? [] : snapshot.tablets(partials.id)))
    .flatMap((tablet): LostTablet[] => {
      const { key, partialOf } = tablet;
      if (key === undefined || !missing.has(key) || removed.has(partialOf!.tabletId)) return [];
      return [{ tablet, key, what: 'index', liveRows: 0 }];
    });
}

const liveRowsOf = (snapshot: Snapshot, { tableId, id, rows }: Tablet): number =>
  rows - (snapshot.deletionVector(tableId, id)?.rows ?? 0);

/**
 * The keys that are really missing. A listing may be stale, so each key that it lacks is requested
 * separately.
 */
async function missingKeys(
  snapshot: Snapshot,
  store: ObjectStore,
  signal: AbortSignal,
): Promise<Set<string>> {
  const there = new Set<string>();
  for (const prefix of PREFIXES) for await (const { key } of store.list(prefix, { signal })) there.add(key);
  const missing = new Set<string>();
  for (const { table } of tablesOf(snapshot))
    for (const id of [table.id, ...table.indexes.flatMap(({ partials }) => partials?.id ?? [])])
      for (const tablet of snapshot.tablets(id))
        for (const key of [tablet.key, snapshot.deletionVector(id, tablet.id)?.key])
          if (key !== undefined && !there.has(key)) missing.add(key);
  await inParallel([...missing], CONCURRENCY, async (key) => {
    if ((await store.head(key, { signal })) !== undefined) missing.delete(key);
  });
  return missing;
}

function* tablesOf(snapshot: Snapshot): Generator<{ readonly name: string; readonly table: TableObject }> {
  for (const database of snapshot.databases())
    for (const schema of snapshot.schemas(database.id))
      for (const table of snapshot.relations(schema.id))
        if (table.kind === 'table') yield { name: `${database.name}.${schema.name}.${table.name}`, table };
}
