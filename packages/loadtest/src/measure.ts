import type { Bench, Benchmark } from './benchmarks/benchmark.ts';
import { cluster } from './benchmarks/cluster.ts';
import { insert } from './benchmarks/insert.ts';
import { memory } from './benchmarks/memory.ts';
import { point } from './benchmarks/point.ts';
import { postgres } from './benchmarks/postgres.ts';
import { results } from './benchmarks/results.ts';
import { select42 } from './benchmarks/select42.ts';
import { singleInserts } from './benchmarks/single-inserts.ts';
import { tpch } from './benchmarks/tpch.ts';
import { upload } from './benchmarks/upload.ts';
import { GeneratedFiles } from './data/generated-files.ts';
import { hasTpchFolder } from './data/test-data.ts';
import { PlainDuckDb } from './processes/plain-duckdb.ts';
import { PlainHttp } from './processes/plain-http.ts';
import { runningEndpoint, startTessera } from './processes/tessera.ts';
import { type BenchmarkResult, type Report, thisMachine } from './report/report.ts';

const BENCHMARKS: Readonly<Record<string, Benchmark>> = {
  select42,
  upload,
  results,
  memory,
  tpch,
  insert,
  point,
  postgres,
  'single-inserts': singleInserts,
  cluster,
};

/** Left out of `all` where the data set is not there. */
const OVER_TPCH = new Set(['tpch', 'insert']);

/** Start many nodes of their own, and take minutes at any scale: run by name only. */
const OWN_CLUSTERS: ReadonlySet<string> = new Set(['cluster']);

/** The benchmarks that the words name, in the order they run. @throws Error naming an unknown one */
export function chosenBenchmarks(words: readonly string[]): Benchmark[] {
  const unknown = words.find((word) => word !== 'all' && !Object.hasOwn(BENCHMARKS, word));
  if (unknown !== undefined) throw new Error(`Unknown benchmark ${unknown}`);
  if (words.length === 0) throw new Error('Name a benchmark, or "all"');
  const all = words.includes('all');
  const runsInAll = (name: string) =>
    all && !OWN_CLUSTERS.has(name) && (hasTpchFolder() || !OVER_TPCH.has(name));
  return Object.keys(BENCHMARKS)
    .filter((name) => words.includes(name) || runsInAll(name))
    .map((name) => BENCHMARKS[name]!);
}

export interface MeasureOptions {
  /** Measures this server instead of starting one. */
  readonly url: string | undefined;
  readonly scale: number;
  onProgress(doing: string): void;
  onResult(result: BenchmarkResult): void;
}

/** Runs the benchmarks one after the other, each against a server started for it. */
export async function measure(benchmarks: readonly Benchmark[], options: MeasureOptions): Promise<Report> {
  const startedAt = new Date().toISOString();
  const duckdb = new PlainDuckDb();
  const http = await PlainHttp.start();
  const files = await GeneratedFiles.open(duckdb);
  try {
    const { first: duckdbVersion = '' } = await duckdb.run('SELECT version()');
    const measured: BenchmarkResult[] = [];
    for (const benchmark of benchmarks) {
      const target = options.url === undefined ? await startTessera() : runningEndpoint(options.url);
      const bench: Bench = {
        target,
        duckdb,
        http,
        files,
        scale: options.scale,
        progress: options.onProgress,
      };
      try {
        measured.push(await benchmark(bench));
        options.onResult(measured.at(-1)!);
      } finally {
        await target.stop();
      }
    }
    const versions = { 'Node.js': process.version, DuckDB: duckdbVersion };
    return { startedAt, scale: options.scale, machine: thisMachine(), versions, results: measured };
  } finally {
    files.remove();
    await http.stop();
    await duckdb.stop();
  }
}
