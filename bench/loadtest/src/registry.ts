import type { Benchmark } from './benchmark.ts';
import { chaos } from './benchmarks/chaos.ts';
import { clickbench } from './benchmarks/clickbench.ts';
import { cluster, clusterTpcds } from './benchmarks/cluster.ts';
import { columnStatistics } from './benchmarks/column-statistics.ts';
import { consoleNeeds, webConsole } from './benchmarks/console.ts';
import { dashboard } from './benchmarks/dashboard.ts';
import { files } from './benchmarks/files.ts';
import { firstRow } from './benchmarks/first-row.ts';
import { growth } from './benchmarks/growth.ts';
import { insert } from './benchmarks/insert.ts';
import { memory } from './benchmarks/memory.ts';
import { mixed } from './benchmarks/mixed.ts';
import { point } from './benchmarks/point.ts';
import { pointLoad } from './benchmarks/point-load.ts';
import { postgres } from './benchmarks/postgres.ts';
import { progress } from './benchmarks/progress.ts';
import { results } from './benchmarks/results.ts';
import { select42 } from './benchmarks/select42.ts';
import { shell } from './benchmarks/shell.ts';
import { singleInserts } from './benchmarks/single-inserts.ts';
import { skipIndex } from './benchmarks/skip-index.ts';
import { tpcds } from './benchmarks/tpcds.ts';
import { tpch } from './benchmarks/tpch.ts';
import { tracing } from './benchmarks/tracing.ts';
import { upload } from './benchmarks/upload.ts';
import { uploads } from './benchmarks/uploads.ts';
import type { RunOptions } from './options.ts';

/** A benchmark with its command-line name. */
export interface BenchmarkEntry {
  readonly name: string;
  /** A one-line description for users. */
  readonly about: string;
  readonly run: Benchmark;
  /**
   * Whether it is part of `all`. Very long benchmarks, and those that break things on purpose, run by name
   * only.
   */
  readonly inAll: boolean;
  /** Returns the reason why the benchmark cannot run with these options on this machine; undefined if it can. */
  needs?(options: RunOptions): string | undefined;
}

const ownNode = ({ url }: RunOptions) =>
  url === undefined ? undefined : 'it starts nodes of its own, and --url names one that runs already';

/** In the order they run. */
export const BENCHMARKS: readonly BenchmarkEntry[] = [
  {
    name: 'select42',
    about: 'latency and throughput of SELECT 42 over keep-alive HTTP',
    run: select42,
    inAll: true,
  },
  {
    name: 'upload',
    about: 'upload a 500 MB CSV (plain, zstd, as Parquet) and aggregate it, against plain DuckDB',
    run: upload,
    inAll: true,
  },
  {
    name: 'results',
    about: '5 M rows × 10 columns in the output formats, against plain DuckDB',
    run: results,
    inAll: true,
  },
  {
    name: 'memory',
    about: 'resident memory while uploads stream in and results stream out',
    run: memory,
    inAll: true,
    needs: ownNode,
  },
  {
    name: 'tpch',
    about: 'the 22 TPC-H queries over managed tables, compared with peers',
    run: tpch,
    inAll: true,
  },
  {
    name: 'tpcds',
    about: 'the 99 TPC-DS queries over managed tables, compared with peers',
    run: tpcds,
    inAll: true,
  },
  {
    name: 'clickbench',
    about: "ClickBench's 43 queries over generated hits, compared with peers",
    run: clickbench,
    inAll: true,
  },
  {
    name: 'insert',
    about: 'load lineitem from an uploaded Parquet file, against plain DuckDB',
    run: insert,
    inAll: true,
    needs: ownNode,
  },
  {
    name: 'point',
    about: 'one row by its primary index out of 60 M',
    run: point,
    inAll: true,
    needs: ownNode,
  },
  {
    name: 'point-load',
    about: 'point queries by 1 to 64 clients, and at 50, 80 and 95 % of what comes through at most',
    run: pointLoad,
    inAll: true,
    needs: ownNode,
  },
  {
    name: 'uploads',
    about: 'files of several formats and codings, posted by 1, 4 and 16 clients at once',
    run: uploads,
    inAll: false,
    needs: ownNode,
  },
  {
    name: 'mixed',
    about: 'INSERT, UPDATE, DELETE, point and aggregate reads of one table at once, every answer checked',
    run: mixed,
    inAll: false,
    needs: ownNode,
  },
  {
    name: 'postgres',
    about: 'prepared SELECT 42 on the PostgreSQL wire, few connections and many',
    run: postgres,
    inAll: true,
    needs: ownNode,
  },
  {
    name: 'single-inserts',
    about:
      '1,000 INSERTs of one row each, and what they leave in the store; as many UPDATEs and DELETEs by key',
    run: singleInserts,
    inAll: true,
    needs: ownNode,
  },
  {
    name: 'dashboard',
    about: '20 queries of a dashboard over 60 M rows, with and without an aggregating index: CPU time',
    run: dashboard,
    inAll: false,
    needs: ownNode,
  },
  {
    name: 'skip-index',
    about:
      'one of 8 M rows by a column that the table is not sorted by, with and without a skip index: CPU time, rows read',
    run: skipIndex,
    inAll: false,
    needs: ownNode,
  },
  {
    name: 'shell',
    about: 'the shell on a terminal: to the prompt, to the first answer, and over a CSV of 100 MB',
    run: shell,
    inAll: false,
    needs: ownNode,
  },
  {
    name: 'console',
    about: 'the console in Chromium: first paint, interactive, size, a grid of 10,000 rows and 60 columns',
    run: webConsole,
    inAll: false,
    needs: (options) => ownNode(options) ?? consoleNeeds(),
  },
  {
    name: 'tracing',
    about: 'SELECT 42 with and without OpenTelemetry traces: CPU time',
    run: tracing,
    inAll: false,
    needs: ownNode,
  },
  {
    name: 'progress',
    about:
      'the progress that clients see of the TPC-H queries, on one node and on three, at half of their time',
    run: progress,
    inAll: false,
    needs: ownNode,
  },
  {
    name: 'cluster',
    about: 'the TPC-H queries on one node and on four: CPU time, plans, balance, constants of the cost model',
    run: cluster,
    inAll: false,
    needs: ownNode,
  },
  {
    name: 'cluster-tpcds',
    about: 'the TPC-DS queries on one node and on four: CPU time, plans, balance',
    run: clusterTpcds,
    inAll: false,
    needs: ownNode,
  },
  {
    name: 'column-statistics',
    about: 'joins on four nodes, planned with and without NULL shares and common values of columns: CPU time',
    run: columnStatistics,
    inAll: false,
    needs: ownNode,
  },
  {
    name: 'files',
    about:
      '64 Parquet files of a bucket, and an upload, aggregated by one node and by four: CPU time, balance',
    run: files,
    inAll: false,
    needs: ownNode,
  },
  {
    name: 'first-row',
    about: 'the time to the first and to the last row of 10 M rows from four nodes, sorted and not',
    run: firstRow,
    inAll: false,
    needs: ownNode,
  },
  {
    name: 'growth',
    about: 'CPU, bytes and memory of TPC-H over the size of the data and the number of nodes, with slopes',
    run: growth,
    inAll: false,
    needs: ownNode,
  },
  {
    name: 'chaos',
    about: 'nodes of a development cluster are killed and paused while every answer is checked',
    run: chaos,
    inAll: false,
    needs: ownNode,
  },
];

/**
 * The benchmarks that the words name, in the order in which they run; `all` leaves out those that cannot run
 * here.
 * @throws Error for an unknown name, or a benchmark that cannot run here
 */
export function chosenBenchmarks(words: readonly string[], options: RunOptions): BenchmarkEntry[] {
  if (words.length === 0) throw new Error('Name a benchmark, or "all"; "list" shows them');
  const unknown = words.find((word) => word !== 'all' && !BENCHMARKS.some(({ name }) => name === word));
  if (unknown !== undefined) throw new Error(`Unknown benchmark ${unknown}${didYouMean(unknown)}`);
  for (const { name, needs } of BENCHMARKS) {
    const missing = words.includes(name) ? needs?.(options) : undefined;
    if (missing !== undefined) throw new Error(`${name} cannot run: ${missing}`);
  }
  const all = words.includes('all');
  return BENCHMARKS.filter(
    ({ name, inAll, needs }) => words.includes(name) || (all && inAll && needs?.(options) === undefined),
  );
}

/** `; did you mean "upload"?` for a word that differs from a name in one or two letters. */
function didYouMean(word: string): string {
  const near = BENCHMARKS.map(({ name }) => ({ name, distance: editDistance(word, name) }))
    .filter(({ distance }) => distance <= 2)
    .sort((a, b) => a.distance - b.distance)[0];
  return near === undefined ? '' : `; did you mean "${near.name}"?`;
}

/** The Levenshtein distance; a swap of neighbours counts as two edits. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, n) => n);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++)
      next.push(Math.min(next[j - 1]! + 1, row[j]! + 1, row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)));
    row = next;
  }
  return row[b.length]!;
}
