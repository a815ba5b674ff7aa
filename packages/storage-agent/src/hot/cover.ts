import { quoteName } from '@tessera/kernel';
import { notDeleted } from '../scan/deleted-rows.ts';
import { type RelationShape, ROW_COLUMN, selectList, TABLET_COLUMN } from '../scan/relation-sql.ts';
import { difference, joined, type RowRange, rowsIn, shifted } from '../scan/row-ranges.ts';
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

/** A cover by the whole resident table, if it holds exactly the requested rows. */
export function wholeCover(
  resident: ResidentTable,
  shape: RelationShape,
  tablets: readonly ScanTablet[],
): string {
  const positions = shape.rowPositions
    ? rowPositions(resident, new Map(tablets.map((t, i) => [resident.parts.get(t.tablet.id)!, i])))
    : '';
  return `SELECT ${columnsOf(shape)}${positions} FROM ${resident.relation}`;
}

/**
 * The part of a resident table that can serve a request for other contents than the table's own: tablets
 * whose claimed rows the request does not read.
 * @param absent the rows that the request does not read, deleted or not, by position in it; a missing entry
 * means none
 */
export function partialCover(
  resident: ResidentTable,
  shape: RelationShape,
  tablets: readonly ScanTablet[],
  absent: ReadonlyMap<number, readonly RowRange[]>,
): Cover | undefined {
  const usable: { part: ResidentPart; position: number; extra: readonly RowRange[] }[] = [];
  for (const [position, scan] of tablets.entries()) {
    const part = resident.parts.get(scan.tablet.id);
    if (part === undefined || part.removed || keysIdentity(part) !== keysIdentity(scan)) continue;
    const gone = absent.get(position) ?? [];
    if (part.claimedScan !== scanIdentity(scan) && difference(part.claimed, gone).length > 0) continue;
    usable.push({ part, position, extra: shifted(difference(gone, part.absent), part.start) });
  }
  usable.sort((a, b) => a.part.start - b.part.start);
  const extra = usable.flatMap((u) => u.extra);
  const span = extra.length === 0 ? 0 : extra.at(-1)!.to - extra[0]!.from;
  const kept = span <= MAX_BITMAP_SPAN ? usable : usable.filter((u) => u.extra.length === 0);
  const ranges = joined(kept.map(({ part }) => ({ from: part.start, to: part.start + part.tablet.rows })));
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

function largest<T extends { readonly part: ResidentPart }>(
  ranges: readonly RowRange[],
  kept: readonly T[],
): [RowRange[], T[]] {
  const chosen = [...ranges].sort((a, b) => rowsIn([b]) - rowsIn([a])).slice(0, MAX_RANGES);
  chosen.sort((a, b) => a.from - b.from);
  const isIn = ({ start }: ResidentPart) => chosen.some(({ from, to }) => start >= from && start < to);
  return [chosen, kept.filter((u) => isIn(u.part))];
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

/**
 * SQL for the columns `$tablet` and `$row`: lists with the tablet's position and the start of every part,
 * indexed by its ordinal.
 */
function rowPositions(resident: ResidentTable, positions: ReadonlyMap<ResidentPart, number>): string {
  const tablets: string[] = new Array(resident.nextOrdinal).fill('NULL');
  const starts: string[] = new Array(resident.nextOrdinal).fill('NULL');
  for (const [part, position] of positions) {
    tablets[part.ordinal] = String(position);
    starts[part.ordinal] = String(part.start);
  }
  const ofPart = (list: string[], type: string) =>
    `CAST([${list.join(', ')}] AS ${type}[])[${PART_COLUMN} + 1]`;
  return `, ${ofPart(tablets, 'INTEGER')} AS ${TABLET_COLUMN}, ${POSITION_COLUMN} - ${ofPart(starts, 'BIGINT')} AS ${ROW_COLUMN}`;
}
