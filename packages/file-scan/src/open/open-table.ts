import { mkdtemp, writeFile } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import { cancellation } from '@tessera/common';
import { literalPath, quoteName, quoteText } from '@tessera/kernel';
import type { ExternalSources } from '@tessera/object-store';
import type { FileColumn, FooterDocument } from '@tessera/tablet';
import { type BitmapDeletes, readBitmap } from '../deletes/bitmap.ts';
import type {
  FileFormat,
  FileSource,
  FileUnit,
  ReadRange,
  RowDeletes,
  ScanReader,
  TableColumn,
} from '../file-scan.ts';
import { mapInTurns } from '../map-in-turns.ts';
import { countedIn, ParquetFetcher, type WantedColumns } from '../parquet/fetch-parquet.ts';
import { readFooter } from '../parquet/footer.ts';
import { completely } from '../read-ranges.ts';
import { columnIn, columnValue, constantValue, filePosition } from './column-value.ts';
import { openCsvTable } from './open-csv-table.ts';

const UNITS_AT_ONCE = 4;

type TableFormat = Extract<FileFormat, { kind: 'table' }>;

interface TableScope {
  /** Where parts of files are kept. */
  readonly directory: string;
  readonly reader: ScanReader;
  readonly signal: AbortSignal;
}

/** A part of a data file that the kernel can read. */
interface OpenedUnit {
  readonly unit: FileUnit;
  readonly path: string;
  readonly columns: readonly FileColumn[];
  /** The position in the file of the first row of the part. */
  readonly firstRow: number;
  readonly rows: number;
  readonly bytes: number;
}

/** A file of deletes that the kernel can read. */
interface OpenedDeletes {
  readonly path: string;
  readonly columns: readonly FileColumn[];
}

/** Parts of a table that the kernel can read. */
export interface OpenedTable {
  /** A relation for FROM with the columns of the source. */
  readonly sql: string;
  readonly read: { readonly rows: number; readonly bytes: number };
  /** The paths of the parts, and the URLs of their files. */
  readonly files: readonly { readonly path: string; readonly label: string }[];
}

/**
 * Lets a session of this node read parts of a table.
 * @param parent a directory in which fetched parts may be kept
 */
export async function readTable(
  source: FileSource,
  external: ExternalSources,
  parent: string,
  signal: AbortSignal,
): Promise<OpenedTable> {
  const { url, credentials, format } = source.scan;
  if (format.kind !== 'table') throw new Error('The files are not those of a table');
  const directory = await mkdtemp(join(parent, 'table-'));
  return external.withReader(url, { signal, credentials }, (reader) =>
    openTable(source, format, { directory, reader: completely(reader), signal }),
  );
}

/**
 * Fetches parts of the data files of a table, and what was deleted from them.
 * @throws TesseraError BAD_FILE that names the file and the column
 */
export async function openTable(
  { units, columns }: FileSource,
  format: TableFormat,
  scope: TableScope,
): Promise<OpenedTable> {
  const wanted = columns.map((name) => format.columns.find((column) => column.name === name)!);
  if (format.csv !== undefined && units.length > 0) {
    const { sql, paths } = await openCsvTable(units, wanted, format.csv, scope);
    const bytes = units.reduce((total, unit) => total + unit.bytes, 0);
    return {
      sql,
      read: { rows: 0, bytes },
      files: paths.map((path, i) => ({ path, label: units[i]!.file.url })),
    };
  }
  const parquet = new ParquetFetcher(scope.reader);
  const opened = await mapInTurns(units, UNITS_AT_ONCE, (unit, i) => {
    if (scope.signal.aborted) throw cancellation(scope.signal);
    const path = join(scope.directory, `unit-${i}`);
    return openUnit(unit, path, { ...scope, parquet, wanted, counted: format.counted });
  });
  const deletes = await openDeletes(units, scope);
  const branches: string[] = [];
  for (const group of Map.groupBy(opened, (one) => shapeOf(one, wanted)).values())
    branches.push(await branchOf(group, wanted, deletes, { ...scope, name: `rows-${branches.length}` }));
  const nothing = `SELECT ${wanted.map(({ name, type }) => `CAST(NULL AS ${type}) AS ${quoteName(name)}`).join(', ') || 'NULL AS nothing'} WHERE false`;
  const sum = (of: (one: OpenedUnit) => number) => opened.reduce((total, one) => total + of(one), 0);
  return {
    sql: `(${branches.length === 0 ? nothing : branches.join(' UNION ALL ')})`,
    read: { rows: sum(({ rows }) => rows), bytes: sum(({ bytes }) => bytes) },
    files: opened.map(({ path, unit }) => ({ path, label: unit.file.url })),
  };
}

interface UnitScope extends TableScope {
  readonly parquet: ParquetFetcher;
  readonly wanted: readonly TableColumn[];
  readonly counted: TableFormat['counted'];
}

async function openUnit(
  unit: FileUnit,
  path: string,
  { reader, parquet, wanted, counted }: UnitScope,
): Promise<OpenedUnit> {
  const keys = (unit.deletes ?? []).flatMap((deletes) => (deletes.kind === 'keys' ? deletes.columns : []));
  const isCounted = counted && new Set(counted);
  const stored = (document: FooterDocument, list: readonly TableColumn[]) =>
    list
      .filter(({ name }) => !Object.hasOwn(unit.constants ?? {}, name))
      .flatMap((one) => columnIn(document.columns(), one)?.name ?? []);
  const wantedIn = (document: FooterDocument): WantedColumns => ({
    columns: stored(document, [...wanted, ...keys]),
    counted:
      isCounted &&
      stored(
        document,
        wanted.filter(({ name }) => isCounted.has(name.toLowerCase())),
      ).map(lower),
  });
  // A file of this node is read where it is.
  if (isAbsolute(unit.file.url) && unit.part === undefined) {
    const { document } = await readFooter(unit.file, reader.range);
    const names = wantedIn(document).counted ?? stored(document, wanted).map(lower);
    const read = countedIn(document.read().rowGroups, new Set(names));
    return { unit, path: unit.file.url, columns: document.columns(), firstRow: 0, ...read };
  }
  const { document, ...read } = await parquet.fetch(unit, path, wantedIn);
  const before = document.read().rowGroups.slice(0, unit.part?.[0] ?? 0);
  const firstRow = before.reduce((sum, { rows }) => sum + rows, 0);
  return { unit, path, columns: document.columns(), firstRow, ...read };
}

const lower = (name: string): string => name.toLowerCase();

/** Opens each file of deletes once, however many data files it is about. */
async function openDeletes(
  units: readonly FileUnit[],
  { directory, reader }: TableScope,
): Promise<ReadonlyMap<string, OpenedDeletes>> {
  const files = new Map(
    units
      .flatMap(({ deletes = [] }) => deletes)
      .filter((one) => one.kind === 'positions' || one.kind === 'keys')
      .map(({ file }) => [file.url, file]),
  );
  const parquet = new ParquetFetcher(reader);
  const allOf = (document: FooterDocument): WantedColumns => ({
    columns: document.columns().map(({ name }) => name),
    counted: undefined,
  });
  const opened = await mapInTurns([...files.values()], UNITS_AT_ONCE, async (file, i) => {
    const path = join(directory, `deletes-${i}`);
    const { document } = await parquet.fetch({ file }, path, allOf);
    return [file.url, { path, columns: document.columns() }] as const;
  });
  return new Map(opened);
}

const byPosition = (deletes: RowDeletes): boolean => deletes.kind !== 'keys';

/** Units with equal shapes are read by one scan. */
function shapeOf({ unit, columns }: OpenedUnit, wanted: readonly TableColumn[]): string {
  const { constants = {}, deletes = [] } = unit;
  const keys = deletes.filter((one) => one.kind === 'keys');
  const all = [...wanted, ...keys.flatMap((one) => one.columns)];
  const stored = all.map((one) => (Object.hasOwn(constants, one.name) ? 'constant' : columnIn(columns, one)));
  return JSON.stringify([stored, keys.map(({ file }) => file.url), deletes.some(byPosition)]);
}

/** The rows of units with the same shape that are not deleted. */
async function branchOf(
  group: readonly OpenedUnit[],
  wanted: readonly TableColumn[],
  opened: ReadonlyMap<string, OpenedDeletes>,
  scope: BranchScope,
): Promise<string> {
  const positions = await positionsOf(group, opened, scope);
  const position = filePosition(
    group.map(({ path }) => path),
    group[0]!.columns.map(({ name }) => name),
  );
  const unit = positions === undefined ? position.sql : 'f."$unit"';
  const value = (column: TableColumn) => valueIn(group, column, unit);
  const items = wanted.map((column) => `${value(column)} AS ${quoteName(column.name)}`);
  const selected = items.length === 0 ? 'NULL AS nothing' : items.join(', ');
  const paths = group.map(({ path }) => quoteText(literalPath(path))).join(', ');
  const scan = `read_parquet([${paths}], hive_partitioning = false${position.argument})`;
  const conditions: string[] = [];
  if (positions !== undefined)
    conditions.push(
      `NOT EXISTS (SELECT 1 FROM (${positions}) AS d WHERE d."$unit" = f."$unit" AND d."$row" = f."$row")`,
    );
  for (const deletes of group[0]!.unit.deletes ?? []) {
    if (deletes.kind !== 'keys') continue;
    const { path, columns } = opened.get(deletes.file.url)!;
    const keys = deletes.columns.map(
      (column, i) => `${columnValue(columns, column, 'k', deletes.file.url)} AS k${i}`,
    );
    const equal = deletes.columns.map((column, i) => `d.k${i} IS NOT DISTINCT FROM ${value(column)}`);
    conditions.push(
      `NOT EXISTS (SELECT 1 FROM (SELECT ${keys.join(', ')} FROM read_parquet(${quoteText(path)}, hive_partitioning = false) AS k) AS d WHERE ${equal.join(' AND ')})`,
    );
  }
  const rows =
    positions === undefined
      ? scan
      : `(SELECT *, ${position.sql} AS "$unit", CAST(file_row_number AS BIGINT) AS "$row" FROM ${scan})`;
  return `SELECT ${selected} FROM ${rows} AS f${conditions.length === 0 ? '' : ` WHERE ${conditions.join(' AND ')}`}`;
}

/** The value of a column in the rows of a group, as SQL over the relation `f`; `at` is the position of the unit. */
function valueIn(group: readonly OpenedUnit[], column: TableColumn, at: string): string {
  const { unit, columns } = group[0]!;
  if (!Object.hasOwn(unit.constants ?? {}, column.name))
    return columnValue(columns, column, 'f', unit.file.url);
  const values = group.map((one) => one.unit.constants![column.name]!);
  return constantValue(values, column.type, at);
}

/** Where a branch keeps its positions. */
interface BranchScope extends TableScope {
  readonly name: string;
}

/** The deleted positions as SQL with the columns `"$unit"` and `"$row"`; undefined if there are none. */
async function positionsOf(
  group: readonly OpenedUnit[],
  opened: ReadonlyMap<string, OpenedDeletes>,
  { directory, name, reader }: BranchScope,
): Promise<string | undefined> {
  const files = new Set<string>();
  const units = new Set<string>();
  const bitmaps: UnitBitmap[] = [];
  for (const [i, { unit, firstRow, rows }] of group.entries()) {
    for (const deletes of unit.deletes ?? []) {
      if (deletes.kind === 'positions') {
        files.add(opened.get(deletes.file.url)!.path);
        units.add(`(${i}, ${quoteText(deletes.path)}, ${firstRow})`);
      } else if (deletes.kind !== 'keys') bitmaps.push({ deletes, unit: i, firstRow, rows });
    }
  }
  const parts: string[] = [];
  if (files.size > 0) {
    const list = [...files].map(quoteText).join(', ');
    parts.push(
      `SELECT CAST(u.unit AS BIGINT) AS "$unit", CAST(p.pos AS BIGINT) - u.first AS "$row" FROM read_parquet([${list}], hive_partitioning = false) AS p JOIN (VALUES ${[...units].join(', ')}) AS u(unit, path, first) ON p.file_path = u.path`,
    );
  }
  if (bitmaps.length > 0) {
    const path = join(directory, name);
    await writeFile(path, positionLines(bitmaps, reader.range), { mode: 0o600 });
    parts.push(
      `SELECT * FROM read_csv(${quoteText(path)}, columns = {'$unit': 'BIGINT', '$row': 'BIGINT'}, auto_detect = false, header = true, hive_partitioning = false, buffer_size = ${CSV_BUFFER_BYTES})`,
    );
  }
  return parts.length === 0 ? undefined : parts.join(' UNION ALL ');
}

/** The kernel reserves as much for each file, however small it is; its default is 32 MB. */
const CSV_BUFFER_BYTES = 8 << 20;
const CHUNK_CHARACTERS = 1 << 16;

/** A bitmap of deleted rows, and the part of the data file that is read. */
interface UnitBitmap extends Pick<OpenedUnit, 'firstRow' | 'rows'> {
  readonly deletes: BitmapDeletes;
  /** The position of the part in its group. */
  readonly unit: number;
}

/** The deleted positions as CSV with a header, in pieces. */
async function* positionLines(bitmaps: readonly UnitBitmap[], read: ReadRange): AsyncGenerator<string> {
  let lines = 'unit,row\n';
  for (const { deletes, unit, firstRow, rows } of bitmaps) {
    for (const position of await readBitmap(deletes, read)) {
      if (position >= firstRow && position < firstRow + rows) lines += `${unit},${position - firstRow}\n`;
      if (lines.length < CHUNK_CHARACTERS) continue;
      yield lines;
      lines = '';
    }
  }
  yield lines;
}
