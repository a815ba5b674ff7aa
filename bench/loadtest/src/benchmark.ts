import type { GeneratedFiles } from './data/generated-files.ts';
import type { RunOptions } from './options.ts';
import type { PlainDuckDb } from './processes/plain-duckdb.ts';
import type { PlainHttp } from './processes/plain-http.ts';
import type { Target } from './processes/tessera.ts';
import type { BenchmarkResult } from './report/report.ts';

/** The context of every benchmark. */
export interface Bench {
  /** The server to measure: that of `--url`, or one that is started on the first call. */
  target(): Promise<Target>;
  readonly duckdb: PlainDuckDb;
  readonly http: PlainHttp;
  readonly files: GeneratedFiles;
  /** 1 is the full size; smaller values shrink the data and the time. */
  readonly scale: number;
  /** All options of the command line, for benchmarks that need more than the scale. */
  readonly options: RunOptions;
  /**
   * Aborts when the user interrupts the run: the benchmark returns what it has measured so far, or throws.
   */
  readonly signal: AbortSignal;
  /** Shows the user what is being measured, and the completed fraction of the benchmark, 0 to 1. */
  progress(doing: string, fraction?: number): void;
}

export type Benchmark = (bench: Bench) => Promise<BenchmarkResult>;

/** Runs `measure` this many times, one after the other, and returns all results. */
export async function repeat<T>(runs: number, measure: () => Promise<T>): Promise<T[]> {
  const samples: T[] = [];
  for (let run = 0; run < runs; run++) samples.push(await measure());
  return samples;
}
