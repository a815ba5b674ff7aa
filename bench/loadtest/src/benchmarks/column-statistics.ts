import { newUlid } from '@tessera/common';
import type { Benchmark } from '../benchmark.ts';
import { Connection } from '../http/connection.ts';
import { OwnCluster } from '../processes/cluster.ts';
import { DevStore } from '../processes/dev-store.ts';
import { figure } from '../report/figure.ts';
import type { Line } from '../report/report.ts';
import { plannedText } from './cluster/planned-text.ts';

const ROWS = 8e6;
const NODES = 4;
const RUNS = 5;
/** The first plans ask for samples, which are taken in the background. */
const RUNS_BEFORE = 10;
/** The tables are treated as if they were too large for one node: such joins need an exchange. */
const SETTINGS = `nodes_per_query = ${NODES}, whole_table_bytes = 0`;

const tables = (rows: number): readonly string[] => [
  `CREATE TABLE clicks (id BIGINT, kind TEXT, ref BIGINT, seconds DOUBLE) PRIMARY INDEX ref`,
  `INSERT INTO clicks SELECT i, CASE WHEN i % 10 < 9 THEN 'view' ELSE 'buy ' || (hash(i) % 10000) END,
     CASE WHEN i % 100 < 99 THEN NULL ELSE i END, (hash(i) % 1000) / 10.0 FROM generate_series(1, ${rows}) AS g(i)`,
  `CREATE TABLE visits (id BIGINT, place BIGINT, at TIMESTAMP) PRIMARY INDEX at`,
  `INSERT INTO visits SELECT i, hash(i) % 1000, TIMESTAMP '2026-01-01' + to_seconds(hash(i) % 1000000)
     FROM generate_series(1, ${rows}) AS g(i)`,
];

const QUERIES: Readonly<Record<string, string>> = {
  'a condition that nine rows of ten meet':
    "SELECT place, sum(seconds::DECIMAL(10, 1)) FROM clicks JOIN visits USING (id) WHERE kind = 'view' GROUP BY place ORDER BY place",
  'a condition that few rows meet':
    "SELECT place, sum(seconds::DECIMAL(10, 1)) FROM clicks JOIN visits USING (id) WHERE kind = 'buy 17' GROUP BY place ORDER BY place",
  'a column that is NULL in 99 rows of 100':
    'SELECT place, sum(seconds::DECIMAL(10, 1)) FROM clicks JOIN visits USING (id) WHERE ref IS NOT NULL GROUP BY place ORDER BY place',
  'no condition':
    'SELECT place, sum(seconds::DECIMAL(10, 1)) FROM clicks JOIN visits USING (id) GROUP BY place ORDER BY place',
};

/** The limits for cached statistics of the clusters that are compared, in bytes. */
const CACHES = { without: 0, with: 100 << 20 } as const;
type Way = keyof typeof CACHES;
const WAYS: readonly Way[] = ['without', 'with'];
type ByWay<T> = Readonly<Record<Way, T>>;

const byWay = async <T>(of: (way: Way) => Promise<T>): Promise<ByWay<T>> => ({
  without: await of('without'),
  with: await of('with'),
});

/** Joins of columns with NULLs and common values, planned with column statistics and without. */
export const columnStatistics: Benchmark = async ({ scale, options, progress }) => {
  const rows = Math.round(ROWS * scale);
  const runs = options.runs ?? RUNS;
  const store = await DevStore.start();
  const open: OwnCluster[] = [];
  const lines: Line[] = [];
  try {
    const clusters = await byWay(async (way) => {
      progress(`column-statistics: inserting 2 × ${rows} rows ${way} statistics`);
      const cluster = await startLoaded(store, way, rows);
      open.push(cluster);
      return cluster;
    });
    for (const [what, sql] of Object.entries(QUERIES)) {
      progress(`column-statistics: ${what}`);
      lines.push(await compared(what, sql, { clusters, runs }));
    }
  } finally {
    await Promise.all(open.map((cluster) => cluster.stop()));
    await store.stop();
  }
  return {
    benchmark: 'column-statistics',
    title: 'Column statistics',
    method: `Joins of two tables of ${rows.toLocaleString('en-US')} rows on a column that neither is sorted by, on ${NODES} nodes of one thread each, with \`planner.automated_column_statistics.cache_max_size_bytes\` 0 and 100 MiB. The tables are treated as too large for one node (\`${SETTINGS}\`). Cells are CPU seconds of one run, summed over all processes; ${runs} runs after ${RUNS_BEFORE} to warm up, in which both ways take turns.`,
    lines,
  };
};

async function startLoaded(store: DevStore, way: Way, rows: number): Promise<OwnCluster> {
  const cluster = await OwnCluster.start({
    store,
    instanceId: newUlid(),
    nodes: NODES,
    execution: { max_threads: 1 },
    planner: { automated_column_statistics: { cache_max_size_bytes: CACHES[way] } },
  });
  const connection = new Connection(cluster.url);
  for (const sql of tables(rows)) await connection.run(sql);
  await connection.close();
  await cluster.settled();
  return cluster;
}

interface Compared {
  readonly clusters: ByWay<OwnCluster>;
  readonly runs: number;
}

async function compared(what: string, sql: string, { clusters, runs }: Compared): Promise<Line> {
  const connections = await byWay(async (way) => new Connection(clusters[way].url));
  const cpu: ByWay<number[]> = { without: [], with: [] };
  const answers = new Set<string>();
  try {
    for (let run = -RUNS_BEFORE; run < runs; run++)
      for (const way of WAYS) {
        const before = cpuOf(clusters[way]);
        answers.add((await connections[way].run(`${sql} WITH (${SETTINGS})`)).text);
        if (run >= 0) cpu[way].push(cpuOf(clusters[way]) - before);
      }
  } finally {
    for (const way of WAYS) await connections[way].close();
  }
  if (answers.size > 1) throw new Error(`${what}: the answers differ`);
  const plans = await byWay((way) => plannedText(clusters[way].url, sql, SETTINGS));
  return {
    what,
    figures: {
      without: figure('s', cpu.without),
      with: figure('s', cpu.with),
      'with ÷ without': figure(
        '×',
        cpu.with.map((seconds, run) => seconds / cpu.without[run]!),
      ),
    },
    texts: { 'plan without': plans.without, 'plan with': plans.with },
  };
}

const cpuOf = (cluster: OwnCluster): number => cluster.cpuSeconds().reduce((sum, each) => sum + each, 0);
