import type { Column, TableObject } from '@tessera/catalog';
import { type KernelSession, quoteName, quoteText } from '@tessera/kernel';
import { type PreparedQuery, substituteScans } from '@tessera/sql';
import type { ScanTablet, ScanUse, StorageAgent } from '@tessera/storage-agent';
import type { TabletChoice } from './tablet-choice.ts';

export interface TopRowsScope {
  readonly agent: StorageAgent;
  readonly session: KernelSession;
  readonly signal: AbortSignal;
  /** The table's bound name. */
  readonly name: string;
  readonly query: Pick<PreparedQuery, 'topRows' | 'parameters' | 'tables' | 'namedColumns'>;
}

export interface TopRowsChoice {
  /** The tablets that contain rows of the result, with their granules. */
  readonly tablets: readonly ScanTablet[];
  /** The measurements of finding them. */
  readonly use: ScanUse;
}

/**
 * Late materialisation: a first pass over the columns that a query filters and sorts by finds the rows of
 * `ORDER BY … LIMIT n`; of the other columns, only the granules of these rows are needed. Undefined if that
 * saves nothing.
 */
export async function chooseTopRows(
  table: TableObject,
  choice: TabletChoice,
  { agent, session, signal, name, query }: TopRowsScope,
): Promise<TopRowsChoice | undefined> {
  const { topRows } = query;
  if (topRows === undefined || choice.isHot) return undefined;
  const { selection, tablets } = choice;
  const first = table.columns.filter((column) => topRows.names.has(column.name.toLowerCase()));
  const rest = selection.columns.filter((column) => !first.includes(column));
  const rows = tablets.reduce((sum, { tablet }) => sum + tablet.rows, 0);
  const isWide = tablets.some(({ tablet }) => tablet.layout === 'wide');
  if (!isWide || rest.length === 0 || rows < 2 * table.indexGranularity || rows < 10 * topRows.rows)
    return undefined;
  const scan = await agent.prepareScan({
    session,
    table,
    tablets,
    columns: first.map(({ id }) => id),
    unnamed: table.columns.filter((column) => !first.includes(column)).map(({ id }) => id),
    rowPositions: true,
    signal,
  });
  try {
    const sql = substituteScans(topRows.sql, query.tables, new Map([[name, scan.sql]]));
    const positions = await positionsOf(session, sql, query.parameters);
    return { tablets: await granulesOf(agent, table, tablets, positions, signal), use: scan.use };
  } finally {
    scan.release();
  }
}

/** The first pass costs a call of the kernel. It must spare the second pass at least this many values, which take about 5 ms. */
const LEAST_SPARED_VALUES = 4_000_000;
/** The types whose values are equal to what their texts say. */
const EXACT_TEXT = /^(?:TINYINT|SMALLINT|INTEGER|BIGINT|DECIMAL.*|DATE|TIMESTAMP|REAL|FLOAT|DOUBLE)$/i;

/**
 * The same for a table in memory, whose rows a position does not find quickly: the first pass finds the sort key of the last row
 * of the result. Returns a condition that keeps the rows up to it, so that the second pass reads most columns of few rows
 * only. (The kernel's own late materialisation reads such a table twice: see `kernelBootstrap`.)
 */
export async function boundOfTopRows(
  table: TableObject,
  { selection, tablets, isHot }: TabletChoice,
  { agent, session, signal, name, query }: TopRowsScope,
): Promise<string | undefined> {
  const { topRows, namedColumns, parameters } = query;
  if (topRows?.key === undefined || !isHot || Object.keys(parameters).length > 0) return undefined;
  const { column, isDescending } = topRows.key;
  const key = table.columns.find((each) => each.name.toLowerCase() === column);
  const isFirst = (each: Column) => topRows.names.has(each.name.toLowerCase());
  const isRead = (each: Column) => namedColumns?.has(each.name.toLowerCase()) ?? true;
  const [first, others] = [table.columns.filter(isFirst), table.columns.filter((each) => !isFirst(each))];
  const rows = tablets.reduce((sum, { tablet }) => sum + tablet.rows, 0);
  const spared = (rows - topRows.rows) * others.filter(isRead).length;
  if (key === undefined || !EXACT_TEXT.test(key.type) || spared < LEAST_SPARED_VALUES) return undefined;
  const scan = await agent.prepareScan({
    session,
    table,
    tablets,
    contents: selection.contents,
    columns: first.map(({ id }) => id),
    omitted: others.map(({ id }) => id),
    rowPositions: true,
    signal,
  });
  try {
    const sql = substituteScans(topRows.sql, query.tables, new Map([[name, scan.sql]]));
    const last = `CAST(${isDescending ? 'min' : 'max'}("$key") AS VARCHAR)`;
    // With a NULL among them, or with fewer rows, the bound would exclude rows of the result, or none.
    const bound = `SELECT CASE WHEN count("$key") = ${topRows.rows} THEN ${last} END FROM (${sql})`;
    const value = await session.scalar(bound);
    if (value === null) return undefined;
    return `${quoteName(key.name)} ${isDescending ? '>=' : '<='} CAST(${quoteText(String(value))} AS ${key.type})`;
  } finally {
    scan.release();
  }
}

/** The rows by the position of their tablet. */
async function positionsOf(
  session: KernelSession,
  sql: string,
  parameters: PreparedQuery['parameters'],
): Promise<ReadonlyMap<number, readonly number[]>> {
  const text = `SELECT "$tablet"::VARCHAR || ' ' || "$row"::VARCHAR || chr(10) FROM (${sql})`;
  const result = await session.query(text, parameters);
  let lines = '';
  for await (const batch of result.batches) lines += Buffer.from(batch.textColumn(0)).toString('latin1');
  const found = new Map<number, number[]>();
  for (const line of lines.split('\n')) {
    if (line === '') continue;
    const [tablet, row] = line.split(' ').map(Number) as [number, number];
    const rows = found.get(tablet);
    if (rows === undefined) found.set(tablet, [row]);
    else rows.push(row);
  }
  return found;
}

async function granulesOf(
  agent: StorageAgent,
  table: TableObject,
  tablets: readonly ScanTablet[],
  positions: ReadonlyMap<number, readonly number[]>,
  signal: AbortSignal,
): Promise<readonly ScanTablet[]> {
  const chosen: ScanTablet[] = [];
  for (const [position, rows] of positions) {
    const scan = tablets[position]!;
    if (scan.tablet.granules < 2) {
      chosen.push(scan);
      continue;
    }
    const { granuleRows } = await agent.header(table, scan.tablet, signal);
    chosen.push({ ...scan, granules: granulesWith(granuleRows, rows) });
  }
  return chosen;
}

/** The numbers of the granules that contain some of the rows, ascending. */
function granulesWith(granuleRows: readonly number[], rows: readonly number[]): readonly number[] {
  const sorted = [...rows].sort((a, b) => a - b);
  const granules: number[] = [];
  let end = 0;
  let next = 0;
  for (const [granule, count] of granuleRows.entries()) {
    end += count;
    const before = next;
    while (next < sorted.length && sorted[next]! < end) next += 1;
    if (next > before) granules.push(granule);
  }
  return granules;
}
