import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EngineCluster } from '../cluster/engine-cluster.ts';
import { metric } from '../cluster/metrics.ts';
import type { SqlResult } from '../sqllogic/database.ts';
import { HttpDatabase } from '../sqllogic/http-database.ts';
import { PlainDuckDb } from '../sqllogic/plain-duckdb.ts';
import { hostileSettings, ON_ONE_NODE, type Settings } from './hostile-settings.ts';
import { openSource, type QuerySource, sourceNames } from './query-source.ts';
import { RandomChoice } from './random-choice.ts';
import { loadInTablets } from './random-tablets.ts';
import { reduced, withoutMarks } from './reduced.ts';
import { resultDifference } from './result-difference.ts';

/** A query whose result differs from plain DuckDB's. */
export interface Mismatch {
  /** `<generator>:<seed>:<tables>:<query>`; with `only`, it is run again. */
  readonly id: string;
  readonly why: string;
  readonly sql: string;
  readonly settings: Settings;
  /** Whether the engine returns the reference's result if only one node runs the query. */
  readonly isRightOnOneNode: boolean;
}

export interface Tally {
  compared: number;
  /** The number of compared queries without a row. */
  empty: number;
  /** The number of queries that both the reference and the engine refuse. */
  refused: number;
  mismatches: number;
  /** The number of queries that timed out and also took long in the reference. */
  slow: number;
  /** The number of queries that were not distributed. */
  onOneNode: number;
}

export interface DifferentialOptions {
  readonly cluster: EngineCluster;
  readonly seed: string;
  readonly queries: number;
  readonly queriesPerTables: number;
  /** The ids of tables or queries to run; all if omitted. */
  readonly only?: string | undefined;
  /**
   * Whether each query runs twice, and the second answer is compared, for which the node reads kept rows of the query's parts. The
   * nodes must keep some.
   */
  readonly again?: boolean | undefined;
  readonly onMismatch: (mismatch: Mismatch) => void;
  readonly onProgress?: (tally: Tally) => void;
}

const AGAIN: Settings = { enable_result_cache: 'false', subresult_min_rows: '1' };
/** The fraction of the queries. */
const TYPES_CHECKED = 0.1;
/** Limit for a whole query, so that one that never ends is reported. */
const STATEMENT_TIMEOUT_MS = 60_000;
/** A query that takes the reference this long may time out. */
const SLOW_MS = 3_000;

/**
 * Runs random queries on the cluster and on plain DuckDB, one generator after the other, as many as
 * requested.
 */
export async function runDifferential(options: DifferentialOptions): Promise<Tally> {
  const tally: Tally = { compared: 0, empty: 0, refused: 0, mismatches: 0, slow: 0, onOneNode: 0 };
  const directory = await mkdtemp(join(tmpdir(), 'tessera-differential-'));
  const reference = new PlainDuckDb();
  try {
    for (let tables = 0, done = 0; done < options.queries; tables++) {
      for (const name of sourceNames()) {
        const id = `${name}:${options.seed}:${tables}`;
        const here = Math.min(options.queriesPerTables, options.queries - done);
        done += here;
        if (options.only !== undefined && !`${options.only}:`.startsWith(`${id}:`)) continue;
        await reference.fresh();
        const source = await openSource(name, id, reference);
        for (const sql of source.definitions) await reference.run(sql);
        const loaded = { names: source.tables, reference, directory };
        await loadInTablets(options.cluster.node(0), loaded, new RandomChoice(`tablets ${id}`));
        await runQueries(options, { id, source, reference, queries: here }, tally);
        tally.onOneNode = await queriesOnOneNode(options.cluster);
        options.onProgress?.(tally);
      }
    }
  } finally {
    await reference.close();
    await rm(directory, { recursive: true, force: true });
  }
  return tally;
}

const queriesOnOneNode = async (cluster: EngineCluster): Promise<number> => {
  const counts = cluster.places.map((_, n) => metric(cluster.node(n), 'tessera_undistributed_queries_total'));
  return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0);
};

interface OneSource {
  readonly id: string;
  readonly source: QuerySource;
  readonly reference: PlainDuckDb;
  readonly queries: number;
}

async function runQueries(
  { cluster, only, again = false, onMismatch }: DifferentialOptions,
  { id, source, reference, queries }: OneSource,
  tally: Tally,
): Promise<void> {
  for (let i = 0; i < queries; i++) {
    const queryId = `${id}:${i}`;
    if (only !== undefined && !queryId.startsWith(`${only}:`) && queryId !== only) continue;
    const query = await source.query(queryId);
    const choice = new RandomChoice(`settings ${queryId}`);
    const settings = {
      ...hostileSettings(choice),
      ...(again && AGAIN),
      statement_timeout: String(STATEMENT_TIMEOUT_MS),
    };
    const node = cluster.node(choice.between(0, cluster.size - 1));
    const differenceOf = (sql: string, under: Settings) =>
      difference(sql, query.ordered, reference, new HttpDatabase([node], under));
    if (again) await attempt(() => new HttpDatabase([node], settings).run(withoutMarks(query.sql)));
    const found = await differenceOf(withoutMarks(query.sql), settings);
    if (found.kind === 'same' && choice.chance(TYPES_CHECKED)) {
      const why = await typeDifference(withoutMarks(query.sql), node, settings);
      if (why !== undefined) {
        tally.mismatches++;
        onMismatch({ id: queryId, why, sql: withoutMarks(query.sql), settings, isRightOnOneNode: true });
      }
    }
    if (found.kind === 'refused') tally.refused++;
    if (found.kind === 'slow') tally.slow++;
    if (found.kind === 'same') {
      tally.compared++;
      if (found.rows === 0) tally.empty++;
    }
    if (found.kind !== 'different') continue;
    tally.mismatches++;
    const sql = await reduced(
      query.sql,
      async (smaller) => (await differenceOf(smaller, settings)).kind === 'different',
    );
    const { why = found.why } = (await differenceOf(sql, settings)) as { why?: string };
    const alone = await differenceOf(sql, ON_ONE_NODE);
    onMismatch({ id: queryId, why, sql, settings, isRightOnOneNode: alone.kind !== 'different' });
  }
}

/** Checks that the column types equal those of the same query on one node. */
async function typeDifference(
  sql: string,
  node: { readonly url: string },
  settings: Settings,
): Promise<string | undefined> {
  const [spread, alone] = await Promise.all(
    [settings, ON_ONE_NODE].map(async (under) => {
      const { columns } = await new HttpDatabase([node], under).run(sql);
      return JSON.stringify(columns);
    }),
  );
  return spread === alone ? undefined : `columns ${spread} for ${alone}`;
}

type Found =
  | { readonly kind: 'same'; readonly rows: number }
  | { readonly kind: 'refused' }
  | { readonly kind: 'slow' }
  | { readonly kind: 'different'; readonly why: string };

async function difference(
  sql: string,
  ordered: boolean,
  reference: PlainDuckDb,
  target: HttpDatabase,
): Promise<Found> {
  let referenceMs = 0;
  const began = performance.now();
  const [expected, actual] = await Promise.all([
    attempt(() => reference.run(sql)).finally(() => {
      referenceMs = performance.now() - began;
    }),
    attempt(() => target.run(sql)),
  ]);
  if (expected instanceof Error && actual instanceof Error) return { kind: 'refused' };
  // This is a defect of the reference, which proves nothing about the answer.
  if (expected instanceof Error && expected.message.startsWith('INTERNAL')) return { kind: 'refused' };
  if (expected instanceof Error)
    return { kind: 'different', why: `only DuckDB refuses: ${expected.message}` };
  if (actual instanceof Error && referenceMs >= SLOW_MS && /timed out/.test(actual.message))
    return { kind: 'slow' };
  if (actual instanceof Error) return { kind: 'different', why: `refused: ${actual.message}` };
  const why = resultDifference(expected, actual, ordered);
  return why === undefined ? { kind: 'same', rows: expected.rows.length } : { kind: 'different', why };
}

const attempt = (run: () => Promise<SqlResult>): Promise<SqlResult | Error> =>
  run().catch((error: unknown) => error as Error);
