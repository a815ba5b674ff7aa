import { quoteName } from '@tessera/kernel';
import { notDeleted } from '../scan/deleted-rows.ts';
import { type RelationShape, ROW_COLUMN, selectList, TABLET_COLUMN } from '../scan/relation-sql.ts';
import { difference, joined, type RowRange, rowsIn, shifted, within } from '../scan/row-ranges.ts';
import { scanIdentity } from '../scan/scan-rows.ts';
import { keysIdentity } from '../scan/tablet-keys.ts';
import type { ScanTablet } from '../storage-agent.ts';
import { PART_COLUMN, POSITION_COLUMN, type ResidentPart, type ResidentTable } from './resident-table.ts';

/** The tablets of a request that a resident table serves, and the SQL that reads them. */
export interface Cover {
  /** A SELECT over the resident table. */
  readonly sql: string;
  /** The positions of these tablets in the request. */
  readonly tablets: ReadonlySet<number>;
}

/** The maximum number of position conditions in one scan. */
const MAX_RANGES = 64;
/** The maximum span of positions for a bitmap of deleted rows. */
const MAX_BITMAP_SPAN = 1 << 24;

/**
 * SQL for FROM that reads a whole resident table, if it holds exactly the requested rows. It names these rows, in an alias or a comment, so
 * that the same SQL always reads the same rows, and a statement may stay prepared although the table changes in between: a
 * plan contains conclusions from the rows that the table had.
 *
 * Where possible, it is the table itself, and not a SELECT of the columns that the statement names:
 *     before: sum(v) … FROM (SELECT k, v FROM hot.t) AS t GROUP BY k HAVING sum(v) > (SELECT sum(v) / 9 FROM (SELECT k, v FROM hot.t) AS t)
 *     after:  sum(v) … FROM hot.t AS t GROUP BY k HAVING sum(v) > (SELECT sum(v) / 9 FROM hot.t AS t)
 * The kernel computes parts of a statement once if they are equal except for the columns that they read of a table. It does not find
 * them over such SELECTs, because each keeps other columns: TPC-H's q11 joined the same three tables twice.
 */
export function wholeCover(
  resident: ResidentTable,
  shape: RelationShape,
  tablets: readonly ScanTablet[],
): string {
  const rows = `at ${resident.exactAt} of ${resident.share ?? 'all'}`;
  if (canReplace(resident, shape)) return `${resident.relation} /* ${rows} */`;
  const positions = shape.rowPositions
    ? rowPositions(resident, new Map(tablets.map((t, i) => [resident.parts.get(t.tablet.id)!, i])))
    : '';
  return `(SELECT ${columnsOf(shape)}${positions} FROM ${resident.relation} AS ${quoteName(rows)})`;
}

/**
 * Whether a statement reads the same from the resident table as from the relation. The resident table has its columns under the
 * names that they were created with, also those that have been renamed or dropped since. Such a name could be that of another relation's
 * column.
 */
function canReplace(
  { columns }: ResidentTable,
  { table, read, omitted, mayHaveMore, rowPositions }: RelationShape,
): boolean {
  if (!mayHaveMore || rowPositions) return false;
  const named = table.columns.filter(({ name, storedName }) => name === storedName);
  return (
    named.filter(({ id }) => columns.has(id)).length === columns.size &&
    table.columns.every(({ id }) => read.has(id) || omitted.has(id))
  );
}

/**
 * The part of a resident table that can serve a request for other contents than the table's own: tablets
 * whose claimed rows the request does not read.
 * @param absent the rows that the request does not read, deleted or not, by position in it; a missing entry
 * means none
 * @param windows the rows outside of which a request reads nothing of a tablet and `absent` lists nothing, by position in it; a
 * missing entry means all rows
 */
export function partialCover(
  resident: ResidentTable,
  shape: RelationShape,
  tablets: readonly ScanTablet[],
  absent: ReadonlyMap<number, readonly RowRange[]>,
  windows: ReadonlyMap<number, RowRange>,
): Cover | undefined {
  const usable: UsablePart[] = [];
  for (const [position, scan] of tablets.entries()) {
    const part = resident.parts.get(scan.tablet.id);
    if (part === undefined || part.removed || keysIdentity(part) !== keysIdentity(scan)) continue;
    const gone = absent.get(position) ?? [];
    const window = windows.get(position) ?? { from: 0, to: part.tablet.rows };
    const claimed = within(part.claimed, window);
    if (part.claimedScan !== scanIdentity(scan) && difference(claimed, gone).length > 0) continue;
    const [rows] = shifted([window], part.start);
    const extra = shifted(difference(gone, within(part.absent, window)), part.start);
    usable.push({ part, position, rows: rows!, extra });
  }
  usable.sort((a, b) => a.rows.from - b.rows.from);
  const extra = usable.flatMap((u) => u.extra);
  const span = extra.length === 0 ? 0 : extra.at(-1)!.to - extra[0]!.from;
  const kept = span <= MAX_BITMAP_SPAN ? usable : usable.filter((u) => u.extra.length === 0);
  const ranges = joined(kept.map(({ rows }) => rows));
  if (ranges.length === 0) return undefined;
  const [chosen, served] = ranges.length <= MAX_RANGES ? [ranges, kept] : largest(ranges, kept);
  const conditions = [
    bound(resident.nextPosition),
    withinRanges(chosen, resident.nextPosition),
    notDeleted(POSITION_COLUMN, joined(served.flatMap((u) => u.extra))),
  ].filter((c) => c !== undefined);
  const positions = shape.rowPositions
    ? rowPositions(resident, new Map(served.map((u) => [u.part, u.position])))
    : '';
  return {
    sql: `SELECT ${columnsOf(shape)}${positions} FROM ${resident.relation} WHERE ${conditions.join(' AND ')}`,
    tablets: new Set(served.map((u) => u.position)),
  };
}

/** A part that can serve a request. */
interface UsablePart {
  readonly part: ResidentPart;
  readonly position: number;
  /** The positions in the resident table that are read. */
  readonly rows: RowRange;
  /** The positions among `rows` that are left out although the resident table has them. */
  readonly extra: readonly RowRange[];
}

function largest(ranges: readonly RowRange[], kept: readonly UsablePart[]): [RowRange[], UsablePart[]] {
  const chosen = [...ranges].sort((a, b) => rowsIn([b]) - rowsIn([a])).slice(0, MAX_RANGES);
  chosen.sort((a, b) => a.from - b.from);
  const isIn = ({ rows }: UsablePart) => chosen.some(({ from, to }) => rows.from >= from && rows.from < to);
  return [chosen, kept.filter(isIn)];
}

/**
 * Rows may be appended after the statement is prepared, so the scan needs an upper bound. A plain constant
 * would not do: the kernel drops a condition that its statistics prove, and keeps the plan. That produced
 * counts that were too high by the appended rows.
 */
const bound = (next: number): string =>
  `${POSITION_COLUMN} < greatest(${next}, CAST(random() - 2 AS BIGINT))`;

function withinRanges(ranges: readonly RowRange[], next: number): string | undefined {
  if (ranges.length === 1 && ranges[0]!.from === 0 && ranges[0]!.to === next) return undefined;
  return `(${ranges.map(({ from, to }) => `${POSITION_COLUMN} BETWEEN ${from} AND ${to - 1}`).join(' OR ')})`;
}

const columnsOf = (shape: RelationShape): string =>
  selectList(shape, (column) => quoteName(column.storedName));

/** So many parts are distinguished by a CASE. It is shorter than lists with an item for every part that ever was. */
const MAX_CASES = 16;

/** SQL for the columns `$tablet` and `$row` of rows that belong to the parts. */
function rowPositions(resident: ResidentTable, positions: ReadonlyMap<ResidentPart, number>): string {
  const sqlOf = positions.size > 0 && positions.size <= MAX_CASES ? byCase : byOrdinal;
  const tablets = sqlOf(resident, new Map([...positions].map(([part, i]) => [part.ordinal, i])), 'INTEGER');
  const starts = sqlOf(
    resident,
    new Map([...positions.keys()].map((part) => [part.ordinal, part.start])),
    'BIGINT',
  );
  return `, ${tablets} AS ${TABLET_COLUMN}, ${POSITION_COLUMN} - ${starts} AS ${ROW_COLUMN}`;
}

type OfOrdinals = (
  resident: ResidentTable,
  values: ReadonlyMap<number, number>,
  type: 'INTEGER' | 'BIGINT',
) => string;

const byCase: OfOrdinals = (_, values, type) => {
  const [first, ...others] = [...values];
  const literal = (value: number) => `CAST(${value} AS ${type})`;
  if (others.length === 0) return literal(first![1]);
  const cases = others.map(([ordinal, value]) => `WHEN ${ordinal} THEN ${literal(value)}`);
  return `CASE ${PART_COLUMN} ${cases.join(' ')} ELSE ${literal(first![1])} END`;
};

/** A list with the value of every part, indexed by its ordinal. */
const byOrdinal: OfOrdinals = ({ nextOrdinal }, values, type) => {
  const list: string[] = new Array(nextOrdinal).fill('NULL');
  for (const [ordinal, value] of values) list[ordinal] = String(value);
  return `CAST([${list.join(', ')}] AS ${type}[])[${PART_COLUMN} + 1]`;
};
