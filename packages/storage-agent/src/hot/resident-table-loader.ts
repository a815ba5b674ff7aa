import type { Column, TableObject } from '@tessera/catalog';
import { type KernelSession, quoteName } from '@tessera/kernel';
import type { LocalTablet } from '../local/local-tablets.ts';
import { notDeleted } from '../scan/deleted-rows.ts';
import { parquetScan, storedOrInitial } from '../scan/file-branch.ts';
import { type RowRange, rowsIn, shifted } from '../scan/row-ranges.ts';
import { absentRows, rowsIdentity, rowsOf, scanIdentity } from '../scan/scan-rows.ts';
import { keyCondition } from '../scan/tablet-keys.ts';
import type { ScanTablet } from '../storage-agent.ts';
import { PART_COLUMN, POSITION_COLUMN, type ResidentPart, type ResidentTable } from './resident-table.ts';

/** A tablet to load, in readable form. */
export interface LoadableTablet {
  readonly scan: ScanTablet;
  readonly local: LocalTablet;
  readonly deleted: readonly RowRange[];
  /**
   * The row ranges of the body that are on disk, if there are holes between them; absent if all rows to read
   * are there.
   */
  readonly runs?: readonly RowRange[] | undefined;
}

/** The maximum number of files that one INSERT reads. */
const MAX_FILES = 256;

/**
 * The types that the kernel keeps as integers of 128 bits: it unpacks them so slowly that scans of them take twenty times the
 * processor time.
 */
const WIDE = /^(?:(?:DECIMAL|NUMERIC) ?\((?:19|[23]\d), ?\d+\)|HUGEINT)(?:\[\])*$/i;

export async function createResidentTable(session: KernelSession, resident: ResidentTable): Promise<void> {
  const columns = [...resident.columns.values()].map(({ id, storedName, type }) => {
    const isCompressed = !WIDE.test(type) && !resident.uncompressed.has(id);
    return `${quoteName(storedName)} ${type}${isCompressed ? '' : ' USING COMPRESSION uncompressed'}`;
  });
  const all = [...columns, `${PART_COLUMN} INTEGER`, `${POSITION_COLUMN} BIGINT`];
  await session.execute(`CREATE TABLE ${resident.relation} (${all.join(', ')})`);
}

/**
 * Appends the live rows of the tablets, in order. The parts become visible once all of their rows are there.
 */
export async function appendTablets(
  session: KernelSession,
  resident: ResidentTable,
  table: TableObject,
  tablets: readonly LoadableTablet[],
  nowMs: number,
): Promise<void> {
  let start = resident.nextPosition;
  let ordinal = resident.nextOrdinal;
  const parts: ResidentPart[] = [];
  for (const run of runs(tablets)) {
    const first = ordinal;
    const starts: number[] = [];
    for (const { scan, deleted, local } of run) {
      const { tablet } = scan;
      const absent = absentRows(scan, deleted);
      parts.push({
        tablet,
        ordinal: ordinal++,
        start,
        columnBytes: new Map(local.columnBytes),
        absent,
        claimed: absent,
        claimedScan: scanIdentity(scan),
        rows: rowsIdentity(scan),
        addressedRows: rowsIn(rowsOf(scan)),
        keys: scan.keys,
        removed: false,
        lastUsedMs: nowMs,
      });
      starts.push(start);
      start += tablet.rows;
    }
    for (const there of run[0]!.runs ?? [undefined])
      await session.execute(insertSql(resident, table, run, first, starts, there));
  }
  // Scans that are prepared from here on may read the new positions.
  for (const part of parts) resident.add(part);
  resident.nextPosition = start;
  resident.nextOrdinal = ordinal;
}

/**
 * Groups of tablets that one INSERT can read: tablets of one schema version. A tablet of which only some rows
 * are read forms a group of its own.
 */
function runs(tablets: readonly LoadableTablet[]): LoadableTablet[][] {
  const result: LoadableTablet[][] = [];
  for (const loadable of tablets) {
    const run = result.at(-1);
    const previous = run?.at(-1);
    const continues =
      run !== undefined &&
      run.length < MAX_FILES &&
      previous!.scan.tablet.schemaVersion === loadable.scan.tablet.schemaVersion &&
      readsAll(previous!) &&
      readsAll(loadable);
    if (continues) run.push(loadable);
    else result.push([loadable]);
  }
  return result;
}

const readsAll = ({ scan, deleted }: LoadableTablet): boolean =>
  scan.rows === undefined && scan.keys === undefined && deleted.length === 0;

function insertSql(
  resident: ResidentTable,
  table: TableObject,
  run: readonly LoadableTablet[],
  firstOrdinal: number,
  starts: readonly number[],
  there: RowRange | undefined,
): string {
  const { scan, deleted } = run[0]!;
  const { schemaVersion } = scan.tablet;
  const columns = [...resident.columns.values()].map((column: Column) =>
    storedOrInitial(column, schemaVersion),
  );
  const start =
    starts.length === 1 ? String(starts[0]) : `[${starts.join(', ')}][CAST(file_index AS BIGINT) + 1]`;
  const conditions = [
    scan.rows && `(${rowsOf(scan).map(isBetween).join(' OR ')})`,
    there && isBetween(there),
    scan.keys && keyCondition(table, schemaVersion, scan.keys),
    notDeleted('file_row_number', deleted),
  ].filter((condition) => condition !== undefined);
  const where = conditions.length === 0 ? '' : ` WHERE ${conditions.join(' AND ')}`;
  const select = [...columns, `file_index + ${firstOrdinal}`, `file_row_number + ${start}`].join(', ');
  const from = parquetScan(run.map((loadable) => loadable.local.path));
  return `INSERT INTO ${resident.relation} SELECT ${select} FROM ${from}${where}`;
}

const isBetween = ({ from, to }: RowRange): string => `file_row_number BETWEEN ${from} AND ${to - 1}`;

/** Deletes rows at positions of the resident table. */
export async function deletePositions(
  session: KernelSession,
  resident: ResidentTable,
  ranges: readonly RowRange[],
): Promise<void> {
  const kept = notDeleted(POSITION_COLUMN, ranges);
  if (kept === undefined) return;
  const within = `${POSITION_COLUMN} BETWEEN ${ranges[0]!.from} AND ${ranges.at(-1)!.to - 1}`;
  await session.execute(`DELETE FROM ${resident.relation} WHERE ${within} AND NOT (${kept})`);
}

/** The positions in the resident table of rows of a part. */
export const positionsOf = (part: ResidentPart, rows: readonly RowRange[]): RowRange[] =>
  shifted(rows, part.start);

/** Compresses appended rows and releases the memory of deleted rows. */
export const compactResidentTables = async (session: KernelSession): Promise<void> => {
  await session.execute('CHECKPOINT hot');
};

export async function dropResidentTable(session: KernelSession, resident: ResidentTable): Promise<void> {
  await session.execute(`DROP TABLE IF EXISTS ${resident.relation}`);
}

/** The memory in bytes that in-memory tables occupy, including temporary tables of sessions. */
export async function tableMemory(session: KernelSession): Promise<number> {
  const sql =
    "SELECT CAST(coalesce(sum(memory_usage_bytes), 0) AS DOUBLE) FROM duckdb_memory() WHERE tag = 'IN_MEMORY_TABLE'";
  return Number(await session.scalar(sql));
}
