import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Bench } from './benchmark.ts';
import { GeneratedFiles } from './data/generated-files.ts';
import type { RunOptions } from './options.ts';
import { PlainDuckDb } from './processes/plain-duckdb.ts';
import { PlainHttp } from './processes/plain-http.ts';
import { runningEndpoint } from './processes/running-endpoint.ts';
import { startTessera, type Target } from './processes/tessera.ts';
import type { BenchmarkEntry } from './registry.ts';
import {
  type BenchmarkResult,
  type Failure,
  REPORT_VERSION,
  type Report,
  thisMachine,
} from './report/report.ts';

export interface Measuring {
  readonly options: RunOptions;
  /** The command line, for the report. */
  readonly command: readonly string[];
  /** Once it aborts, no further benchmark starts, and the running one ends early or is abandoned. */
  readonly signal: AbortSignal;
  onBenchmark(name: string): void;
  onProgress(doing: string, fraction: number | undefined): void;
  onResult(result: BenchmarkResult): void;
  onFailure(failure: Failure): void;
}

/**
 * Runs the benchmarks one after the other, each on servers started for it. A failure is reported, and the
 * others still run.
 */
export async function measure(entries: readonly BenchmarkEntry[], measuring: Measuring): Promise<Report> {
  const { options, signal, command } = measuring;
  const startedAt = new Date();
  const duckdb = new PlainDuckDb();
  const http = await PlainHttp.start();
  const files = await GeneratedFiles.open(duckdb);
  const results: BenchmarkResult[] = [];
  const failures: Failure[] = [];
  try {
    const { first: duckdbVersion = '' } = await duckdb.run('SELECT version()');
    for (const entry of entries) {
      if (signal.aborted) break;
      measuring.onBenchmark(entry.name);
      try {
        const result = await leftWhenAborted(measureOne(entry, { duckdb, http, files }, measuring), signal);
        results.push(result);
        measuring.onResult(result);
      } catch (error) {
        const failure = { benchmark: entry.name, reason: (error as Error).message };
        failures.push(failure);
        measuring.onFailure(failure);
      }
    }
    const commit = await commitHere();
    return {
      version: REPORT_VERSION,
      startedAt: startedAt.toISOString(),
      durationSeconds: (Date.now() - startedAt.getTime()) / 1000,
      command,
      ...(commit !== undefined && { commit }),
      scale: options.scale,
      machine: thisMachine(),
      versions: { 'Node.js': process.version, DuckDB: duckdbVersion },
      results,
      failures,
    };
  } finally {
    files.remove();
    await http.stop();
    await duckdb.stop();
  }
}

async function measureOne(
  { run }: BenchmarkEntry,
  shared: Pick<Bench, 'duckdb' | 'http' | 'files'>,
  { options, signal, onProgress }: Measuring,
): Promise<BenchmarkResult> {
  const start = performance.now();
  const { url } = options;
  let started: Promise<Target> | undefined;
  const target = () => {
    started ??= url === undefined ? startTessera() : runningEndpoint(url, options);
    return started;
  };
  try {
    const bench: Bench = {
      ...shared,
      target,
      scale: options.scale,
      options,
      signal,
      progress: onProgress,
    };
    return { ...(await run(bench)), durationSeconds: (performance.now() - start) / 1000 };
  } finally {
    const [settled] = await Promise.allSettled([started]);
    if (settled.status === 'fulfilled') await settled.value?.stop();
  }
}

/** The time that a benchmark has to end early and report its results. */
const GRACE_MS = 10_000;

/** Waits for work until the signal and the grace period; work that continues is ended with this process. */
async function leftWhenAborted<T>(running: Promise<T>, signal: AbortSignal): Promise<T> {
  const broken = Promise.withResolvers<never>();
  let timer: NodeJS.Timeout | undefined;
  const onAbort = () => {
    timer = setTimeout(() => broken.reject(new Error('broken off')), GRACE_MS);
  };
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([running, broken.promise]);
  } catch (error) {
    throw signal.aborted ? new Error('broken off') : error;
  } finally {
    signal.removeEventListener('abort', onAbort);
    clearTimeout(timer);
  }
}

/** The commit of the repository that contains this program. */
async function commitHere(): Promise<string | undefined> {
  const git = async (...args: string[]) =>
    (await promisify(execFile)('git', args, { cwd: import.meta.dirname })).stdout.trim();
  try {
    const commit = await git('rev-parse', '--short=12', 'HEAD');
    return (await git('status', '--porcelain', '--untracked-files=no')) === '' ? commit : `${commit}-dirty`;
  } catch {
    return undefined;
  }
}
