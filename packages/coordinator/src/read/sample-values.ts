import type { Column, ObjectId, TabletId } from '@tessera/catalog';
import { type Kernel, type KernelSession, quoteName } from '@tessera/kernel';
import type { ContentsOf, CurrentContents, ScanTablet, StorageAgent } from '@tessera/storage-agent';
import { orderOf } from '@tessera/tablet';

/** A sample consists of at most this many blocks of neighbouring rows, spread evenly over the table. */
const MOST_BLOCKS = 32;
const BLOCK_ROWS = 2048;
/** The most values of a column that are kept, and their greatest length in characters. */
const MOST_VALUES = 64;
const MOST_CHARACTERS = 64;
/** A value of a column with more values than that is common if it occurs this many times as often as the average. */
const MORE_THAN_USUAL = 1.25;
/** How many standard errors a share must be above that. The most frequent of many values may be so by chance, those of few not. */
const STANDARD_ERRORS = { ofMany: 4, ofFew: 2 };

/** The shares of common values among the rows of a table. */
export interface ValueSample {
  readonly tablets: readonly TabletId[];
  /** Values as the kernel's VARCHAR, by the name of the column. */
  readonly common: ReadonlyMap<string, ReadonlyMap<string, number>>;
}

/** Undefined if the table does not exist any more. */
export type ValueSampler = (
  tableId: ObjectId,
  columns: ReadonlySet<string>,
) => Promise<ValueSample | undefined>;

export interface SamplerServices {
  readonly kernel: Pick<Kernel, 'session'>;
  readonly agent: StorageAgent;
  readonly contentsOf: ContentsOf;
}

/** Samples the newest contents of tables. */
export const valueSampler =
  ({ kernel, agent, contentsOf }: SamplerServices): ValueSampler =>
  async (tableId, names) => {
    const contents = await contentsOf(tableId);
    if (contents === undefined) return undefined;
    try {
      const session = await kernel.session({ timeZone: 'UTC' });
      try {
        return await sampled(contents, names, { session, agent });
      } finally {
        await session.close();
      }
    } finally {
      contents.release();
    }
  };

async function sampled(
  { table, tablets: all }: CurrentContents,
  names: ReadonlySet<string>,
  { session, agent }: { readonly session: KernelSession; readonly agent: StorageAgent },
): Promise<ValueSample> {
  const columns = table.columns.filter(({ name, type }) => names.has(name) && orderOf(type) !== undefined);
  const tablets = blocksOf(all);
  const common = new Map<string, ReadonlyMap<string, number>>();
  const sample = { tablets: tablets.map(({ tablet }) => tablet.id), common };
  if (columns.length === 0 || tablets.length === 0) return sample;
  const scan = await agent.prepareScan({
    session,
    table,
    tablets,
    columns: columns.map(({ id }) => id),
    isNarrow: true,
    rowPositions: true,
    once: true,
    signal: new AbortController().signal,
  });
  try {
    const rows = all.reduce((sum, { tablet, vector }) => sum + tablet.rows - (vector?.rows ?? 0), 0);
    for (const column of columns) {
      const json = String(await session.scalar(countsSql(column, scan.sql)));
      common.set(column.name, commonValues(JSON.parse(json) as Counts, rows));
    }
  } finally {
    scan.release();
  }
  return sample;
}

/** The rows of the blocks of a sample. */
function blocksOf(tablets: readonly ScanTablet[]): ScanTablet[] {
  const blocks = tablets.flatMap((scan) =>
    Array.from({ length: Math.ceil(scan.tablet.rows / BLOCK_ROWS) }, (_, block) => ({ scan, block })),
  );
  const step = Math.max(1, blocks.length / MOST_BLOCKS);
  const chosen = new Map<ScanTablet, { start: number; end: number }[]>();
  for (let at = step / 2; at < blocks.length; at += step) {
    const { scan, block } = blocks[Math.floor(at)]!;
    const rows = chosen.get(scan) ?? [];
    chosen.set(scan, rows);
    const start = block * BLOCK_ROWS;
    const end = Math.min(start + BLOCK_ROWS, scan.tablet.rows);
    const before = rows.at(-1);
    if (before?.end === start) before.end = end;
    else rows.push({ start, end });
  }
  return [...chosen].map(([scan, rows]) =>
    rows[0]!.end - rows[0]!.start === scan.tablet.rows ? scan : { ...scan, rows },
  );
}

/** How often values occur in a sample. */
interface Counts {
  readonly blocks: number;
  readonly rows: number;
  /** The sum of the squares of the rows of each block. */
  readonly squares: number;
  /** The number of distinct values. */
  readonly different: number;
  /**
   * `n`: the rows with the value. `nn`: the sum of the squares of the rows with the value in each block. `ns`: the sum of the
   * products of the rows with the value and all rows of each block.
   */
  readonly found:
    | readonly { readonly v: string; readonly n: number; readonly nn: number; readonly ns: number }[]
    | null;
}

/** Values are counted in their own type: only those that are returned become text, because that costs most. */
function countsSql({ name, type }: Column, source: string): string {
  const value = type === 'VARCHAR' ? `left(${quoteName(name)}, ${MOST_CHARACTERS + 1})` : quoteName(name);
  const isShort = (text: string) => `length(${text}) <= ${MOST_CHARACTERS}`;
  return `WITH cells AS MATERIALIZED (
      SELECT ${value} AS v, "$tablet" AS t, "$row" // ${BLOCK_ROWS} AS b, CAST(count(*) AS DOUBLE) AS n
      FROM ${source} AS sampled GROUP BY ALL),
    blocks AS MATERIALIZED (SELECT t, b, sum(n) AS s FROM cells GROUP BY ALL),
    totals AS MATERIALIZED (SELECT v, sum(n) AS n FROM cells WHERE v IS NOT NULL GROUP BY v),
    most AS (
      SELECT v FROM totals ${type === 'VARCHAR' ? `WHERE ${isShort('v')} ` : ''}ORDER BY n DESC, v LIMIT ${MOST_VALUES}),
    found AS (
      SELECT CAST(v AS VARCHAR) AS v, sum(n) AS n, sum(n * n) AS nn, sum(n * s) AS ns
      FROM most JOIN cells USING (v) JOIN blocks USING (t, b) GROUP BY ALL HAVING ${isShort('CAST(v AS VARCHAR)')})
    SELECT CAST(to_json({
      blocks: (SELECT count(*) FROM blocks), rows: (SELECT coalesce(sum(s), 0) FROM blocks),
      squares: (SELECT coalesce(sum(s * s), 0) FROM blocks), different: (SELECT count(*) FROM totals),
      found: (SELECT list(found) FROM found)}) AS VARCHAR)`;
}

/**
 * The values that are certainly common. Neighbouring rows are often alike, so a value that fills one block may be rare: its
 * error is estimated from how much its share differs between blocks.
 *
 * @param tableRows the rows of the whole table
 */
function commonValues(
  { blocks, rows, squares, different, found }: Counts,
  tableRows: number,
): ReadonlyMap<string, number> {
  const missed = Math.max(0, 1 - rows / Math.max(1, tableRows));
  const isListed = different <= MOST_VALUES;
  const kept = (found ?? []).flatMap(({ v, n, nn, ns }) => {
    const share = n / rows;
    const spread = Math.max(0, nn - 2 * share * ns + share * share * squares);
    const error = Math.sqrt((spread * missed * blocks) / Math.max(1, blocks - 1)) / rows;
    const least = isListed ? share / 2 : MORE_THAN_USUAL / different;
    const errors = isListed ? STANDARD_ERRORS.ofFew : STANDARD_ERRORS.ofMany;
    return share - errors * error > least ? [[v, share] as const] : [];
  });
  return new Map(kept);
}
