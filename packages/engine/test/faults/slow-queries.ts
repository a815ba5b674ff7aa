import type { EngineCluster } from '../cluster/engine-cluster.ts';
import { metric } from '../cluster/metrics.ts';
import { until } from '../cluster/until.ts';
import { type Answer, query, rows } from '../http.ts';

/**
 * Settings with which every query is distributed, no table is read whole, and small stage outputs are not
 * gathered.
 */
export const SPREAD = {
  min_distributed_bytes: '0',
  whole_table_bytes: '0',
  broadcast_limit_bytes: '400000',
};
export const ROWS = 15_000;
const PIECES = 6;
const SEEN_WITHIN_MS = 60_000;

/** Creates tables `t` and `u`, of which each node has some tablets. */
export async function loadSpreadTables(cluster: EngineCluster): Promise<void> {
  const run = async (sql: string) => {
    const answer = await query(cluster.node(0), sql);
    if (answer.status !== 200) throw new Error(`${sql}: ${answer.text}`);
  };
  for (const table of ['t', 'u']) {
    await run(`CREATE TABLE ${table} (a INT, b INT, c TEXT)`);
    for (let piece = 0; piece < PIECES; piece++) {
      const range = `generate_series(${(piece * ROWS) / PIECES}, ${((piece + 1) * ROWS) / PIECES - 1})`;
      await run(`INSERT INTO ${table} SELECT x, x % 100, md5(x::text) FROM ${range} g(x)`);
    }
  }
}

/**
 * A statement that keeps every node busy for a second in the stage that reads the tables: it pairs each row of
 * one with each row of the other. Different `salt`s give different statements.
 */
export const slowScan = (salt: number): string =>
  `SELECT t.b, count(*) AS n, sum(u.a) AS s FROM t JOIN u ON (t.a::BIGINT * u.a + ${salt}) % 50021 = 7 GROUP BY t.b ORDER BY t.b`;

/** The same for some rows of one table, so that it ends soon. */
export const quickScan = (salt: number): string =>
  slowScan(salt).replace('GROUP BY', 'WHERE t.a % 49 = 3 GROUP BY');

/** A statement that keeps every node busy for seconds in a stage that reads outputs of other stages. */
export const slowJoin = (salt: number): string =>
  `SELECT x.b, count(*) AS n FROM (SELECT a, min(b) AS b FROM t GROUP BY a) x
   JOIN (SELECT a, max(c) AS c FROM u GROUP BY a) y ON hash(x.a, y.a, ${salt}) % 50021 = 7 GROUP BY x.b ORDER BY x.b`;

/**
 * Settings for `slowReduction`: both sides use a hash exchange, and the keys of one side filter the rows of
 * the other.
 */
export const REDUCED = { broadcast_limit_bytes: '1', join_key_filters: 'always' };

/**
 * A statement that keeps every node busy for seconds in a stage whose scan is filtered by the keys of a
 * finished stage.
 */
export const slowReduction = (salt: number): string =>
  `SELECT x.b, count(*) AS n, sum(y.va) AS s FROM (SELECT a, b FROM t WHERE b < 20) x
   JOIN (SELECT u.a, v.a AS va FROM u JOIN (SELECT a FROM t WHERE b < 40) v ON hash(u.a, v.a, ${salt}) % 50021 = 7) y ON x.a = y.a
   GROUP BY x.b ORDER BY x.b`;

/** Starts a statement and returns its rows later. */
export function started(
  cluster: EngineCluster,
  n: number,
  sql: string,
  parameters: object = {},
): Promise<Answer> {
  return query(cluster.node(n), sql, { ...SPREAD, output_format: 'JSON_Compact', ...parameters });
}

const tasksOf = (cluster: EngineCluster, n: number): Promise<number> =>
  metric(cluster.node(n), 'tessera_cluster_running_tasks');

const exchangeBytesOf = (cluster: EngineCluster, n: number): Promise<number> =>
  metric(cluster.node(n), 'tessera_cluster_exchange_bytes');

/** Waits until a node runs tasks of other nodes. */
export const untilBusy = (cluster: EngineCluster, n: number, tasks = 1): Promise<void> =>
  until(`node ${n} runs ${tasks} tasks`, SEEN_WITHIN_MS, async () => (await tasksOf(cluster, n)) >= tasks);

/** Waits until a node neither runs tasks nor keeps outputs for other nodes. */
export const untilIdle = (cluster: EngineCluster, n: number, withinMs: number): Promise<void> =>
  until(`node ${n} is idle`, withinMs, async () => {
    return (await tasksOf(cluster, n)) === 0 && (await exchangeBytesOf(cluster, n)) === 0;
  });

/** Starts the nodes again that a test stopped, and waits until all know one another and none has a task. */
export async function untilRecovered(cluster: EngineCluster, withinMs: number): Promise<void> {
  await Promise.all(cluster.stopped().map((n) => cluster.startNode(n)));
  await cluster.untilWhole();
  for (const n of cluster.places.keys()) await untilIdle(cluster, n, withinMs);
}

/** Waits until a query of the coordinator has finished stages and is still running. */
export const untilStagesFinished = (cluster: EngineCluster, n: number, stages: number): Promise<void> =>
  until(`${stages} stages have finished`, SEEN_WITHIN_MS, async () => {
    const found = await rows(
      cluster.node(n),
      'SELECT max(stages_finished)::int FROM information_schema.engine_running_queries',
    );
    return Number(found[0]![0]) >= stages;
  });
