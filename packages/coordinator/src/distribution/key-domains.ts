import type { ForeignKeyConstraint, ObjectId, Snapshot, TableObject, Tablet } from '@tessera/catalog';
import { type KeySpace, keyColumnOf, keySpaceOf } from '@tessera/tablet';

/**
 * The table whose keys provide the split points for another table: the largest table with similar keys.
 * Tables with the same leader form a *domain*: equal keys of all of them are read by the same node. Undefined
 * for a table without a divisible key.
 * The key is the first column of the primary index. Keys are similar if one table references the other by a
 * foreign key, or if their ranges are about the same. A wrong guess only affects how even the shares are,
 * never the result: each scan reads exactly the keys that it is assigned.
 */
export function leaderOf(snapshot: Snapshot, table: TableObject): TableObject | undefined {
  if (rangeOf(snapshot, table) === undefined) return undefined;
  const known = leaders.get(snapshot) ?? new Map<ObjectId, TableObject>();
  leaders.set(snapshot, known);
  let leader = known.get(table.id);
  if (leader !== undefined) return leader;
  const others = snapshot
    .relations(table.schemaId)
    .filter((relation) => relation.kind === 'table')
    .filter((other) => keyColumnOf(other)?.type === keyColumnOf(table)?.type);
  leader = table;
  for (;;) {
    const larger = others.filter(
      (other) => isLarger(snapshot, other, leader!) && isRelated(snapshot, other, leader!),
    );
    if (larger.length === 0) break;
    leader = larger.reduce((a, b) => (isLarger(snapshot, b, a) ? b : a));
  }
  known.set(table.id, leader);
  return leader;
}

const leaders = new WeakMap<Snapshot, Map<ObjectId, TableObject>>();

function isLarger(snapshot: Snapshot, table: TableObject, than: TableObject): boolean {
  const [a, b] = [snapshot.totals(table.id).rows, snapshot.totals(than.id).rows];
  return a === b ? table.id < than.id : a > b;
}

const isRelated = (snapshot: Snapshot, a: TableObject, b: TableObject): boolean =>
  references(a, b) || references(b, a) || haveSameRange(snapshot, a, b);

/** Whether a foreign key declares that the key of one table references that of the other. */
function references({ constraints = [], primaryIndex: [own] }: TableObject, other: TableObject): boolean {
  const [key] = other.primaryIndex;
  return constraints.some(
    (constraint): constraint is ForeignKeyConstraint =>
      constraint.kind === 'foreign_key' &&
      constraint.table === other.id &&
      constraint.columns.some((column, i) => column === own && constraint.references[i] === key),
  );
}

interface Range {
  readonly min: bigint;
  readonly max: bigint;
}

/** The fraction of the combined key range of two tables that both must cover. */
const ABOUT_THE_SAME = 0.8;

function haveSameRange(snapshot: Snapshot, a: TableObject, b: TableObject): boolean {
  const [one, other] = [rangeOf(snapshot, a), rangeOf(snapshot, b)];
  if (one === undefined || other === undefined) return false;
  const [low, high] = one.min < other.min ? [one.min, other.min] : [other.min, one.min];
  const [less, most] = one.max < other.max ? [one.max, other.max] : [other.max, one.max];
  return Number(less - high + 1n) / Number(most - low + 1n) >= ABOUT_THE_SAME;
}

/** The range of keys of a list of tablets; null if their keys are not divisible. */
const ranges = new WeakMap<readonly Tablet[], Range | null>();

function rangeOf(snapshot: Snapshot, table: TableObject): Range | undefined {
  const tablets = snapshot.tablets(table.id);
  let range = ranges.get(tablets);
  if (range === undefined) {
    range = rangeIn(table, tablets) ?? null;
    ranges.set(tablets, range);
  }
  return range ?? undefined;
}

function rangeIn(table: TableObject, tablets: readonly Tablet[]): Range | undefined {
  const column = keyColumnOf(table);
  const space = column && keySpaceOf(column.type);
  if (space === undefined) return undefined;
  let range: Range | undefined;
  for (const { statistics } of tablets) {
    const found = statistics.find((one) => one.column === column!.id);
    const [min, max] = [positionOf(space, found?.min), positionOf(space, found?.max)];
    if (min === undefined || max === undefined) continue;
    range = {
      min: range === undefined || min < range.min ? min : range.min,
      max: range === undefined || max > range.max ? max : range.max,
    };
  }
  return range;
}

const positionOf = (space: KeySpace, text: string | undefined): bigint | undefined =>
  text === undefined ? undefined : space.position(text);
