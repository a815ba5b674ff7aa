import type { ObjectId, Snapshot, TableObject, Tablet } from '@tessera/catalog';
import type { TableFacts } from '@tessera/planner';
import type { StorageAgent } from '@tessera/storage-agent';
import { assignByKeys, type KeyedRows, KeyPlacement, keyColumnOf, splitKeys } from '@tessera/tablet';
import { leaderOf } from './key-domains.ts';

/**
 * For a table with more tablets than this, the headers are not read for split points: the catalog has enough
 * information.
 */
const MOST_HEADERS = 64;
/** A node may have this many times its even share of a table's rows. */
const MOST_UNEVEN = 1.3;
/** A table with fewer rows than this fraction of its leader's may be divided unevenly. */
const SMALL_PART = 0.25;
/**
 * A table with more bytes than this is not divided by keys if the nodes together would read its rows
 * repeatedly in order to skip those of others.
 */
const LARGE_BYTES = 256 << 20;
const MOST_READS = 2;

/** The key placements that one statement uses. */
export interface KeyScope {
  readonly agent: StorageAgent;
  readonly snapshot: Snapshot;
  readonly signal: AbortSignal;
}

interface Known {
  readonly names: string;
  readonly placement: Promise<KeyPlacement>;
}

/** Placements keyed by the tablets of the leading table. */
const placements = new WeakMap<readonly Tablet[], Known>();
/**
 * Keyed by the leading table. An unchanged placement stays the same object, because shares are cached by its
 * identity.
 */
const latest = new WeakMap<TableObject, { readonly text: string; readonly placement: KeyPlacement }>();
const keysOfTablets = new WeakMap<Tablet, readonly KeyedRows[]>();

/**
 * The column by whose ranges the nodes divide a table; undefined if they divide it by tablets, because its
 * keys are not divisible or would give uneven shares.
 * @throws TesseraError the errors of reading headers of tablets
 */
export async function keyOfTable(
  table: TableObject,
  names: readonly string[],
  scope: KeyScope,
): Promise<TableFacts['key']> {
  const { snapshot } = scope;
  const leader = table.tableType === 'DIMENSION' ? undefined : leaderOf(snapshot, table);
  if (leader === undefined) return undefined;
  const placement = await keyPlacement(leader.id, names, scope);
  if (placement.ranges.length === 1 || !isEven(snapshot, table, leader, placement)) return undefined;
  return { column: keyColumnOf(table)!.name, domain: leader.id };
}

/**
 * Assigns the key ranges of the tables of a domain to nodes.
 * @throws TesseraError the errors of reading headers of tablets
 */
export function keyPlacement(
  domain: string,
  names: readonly string[],
  scope: KeyScope,
): Promise<KeyPlacement> {
  const leader = scope.snapshot.object(domain as ObjectId) as TableObject;
  const tablets = scope.snapshot.tablets(leader.id);
  const key = names.toSorted().join('\n');
  const known = placements.get(tablets);
  if (known?.names === key) return known.placement;
  const placement = makePlacement(leader, tablets, names, scope);
  placements.set(tablets, { names: key, placement });
  placement.catch(() => placements.delete(tablets));
  return placement;
}

async function makePlacement(
  leader: TableObject,
  tablets: readonly Tablet[],
  names: readonly string[],
  { agent }: KeyScope,
): Promise<KeyPlacement> {
  const { id, type } = keyColumnOf(leader)!;
  const readsHeaders = tablets.filter(({ granules }) => granules > 1).length <= MOST_HEADERS;
  const parts = await Promise.all(
    tablets.map((tablet) =>
      readsHeaders && tablet.granules > 1 ? granuleKeys(leader, tablet, id, agent) : tabletKeys(tablet, id),
    ),
  );
  const placement = new KeyPlacement(type, splitKeys(type, parts.flat(), names.length), names);
  const text = JSON.stringify([placement.names, placement.ranges.map(({ from }) => from), placement.nodes]);
  const before = latest.get(leader);
  if (before?.text === text) return before.placement;
  latest.set(leader, { text, placement });
  return placement;
}

function tabletKeys({ rows, statistics }: Tablet, column: number): readonly KeyedRows[] {
  const { min, max, nulls = 0 } = statistics.find((one) => one.column === column) ?? {};
  return min === undefined || max === undefined ? [] : [{ min, max, rows: rows - nulls }];
}

/**
 * Several queries may wait for the result, so it does not end with the signal of the query that started it.
 */
async function granuleKeys(
  table: TableObject,
  tablet: Tablet,
  column: number,
  agent: StorageAgent,
): Promise<readonly KeyedRows[]> {
  const known = keysOfTablets.get(tablet);
  if (known !== undefined) return known;
  const { columns, granuleRows } = await agent.header(table, tablet, new AbortController().signal);
  const granules = columns.find((one) => one.id === column)?.granules ?? [];
  const keys = granules.flatMap(({ min, max, nulls = 0 }, i) =>
    min === undefined || max === undefined ? [] : [{ min, max, rows: granuleRows[i]! - nulls }],
  );
  keysOfTablets.set(tablet, keys);
  return keys;
}

interface Evenness {
  readonly placement: KeyPlacement;
  readonly isEven: boolean;
}

const evenness = new WeakMap<readonly Tablet[], Evenness>();

function isEven(
  snapshot: Snapshot,
  table: TableObject,
  leader: TableObject,
  placement: KeyPlacement,
): boolean {
  const tablets = snapshot.tablets(table.id);
  const known = evenness.get(tablets);
  if (known?.placement === placement) return known.isEven;
  const nodes = placement.names.map((name) => ({ name }));
  const chosen = tablets.map((tablet) => ({ tablet }));
  const shares = assignByKeys(placement, keyColumnOf(table)!, chosen, nodes);
  const rows = shares.map(({ tablets: own }) => own.reduce((sum, part) => sum + rowsOf(part), 0));
  const { rows: all, bytes } = snapshot.totals(table.id);
  const isSmall = all < snapshot.totals(leader.id).rows * SMALL_PART;
  const isEven =
    (isSmall || Math.max(...rows) <= (all / nodes.length) * MOST_UNEVEN) &&
    (bytes <= LARGE_BYTES || readsOf(shares, table) <= all * MOST_READS);
  evenness.set(tablets, { placement, isEven });
  return isEven;
}

type Part = ReturnType<typeof assignByKeys>[number]['tablets'][number];

const rowsOf = ({ tablet, keys }: Part): number => keys?.rows ?? tablet.rows;

/** The total number of rows that nodes read; rows of a granule at a border are read by both of its nodes. */
function readsOf(shares: readonly { readonly tablets: readonly Part[] }[], table: TableObject): number {
  const parts = shares.flatMap(({ tablets }) => tablets);
  return parts.reduce((sum, part) => {
    const { tablet, keys } = part;
    const borders = (keys?.ranges.length ?? 0) * Math.min(table.indexGranularity, tablet.rows);
    return sum + Math.min(tablet.rows, rowsOf(part) + borders);
  }, 0);
}
