import type { GeneratedFiles } from './data/generated-files.ts';
import type { RunOptions } from './options.ts';
import type { PlainDuckDb } from './processes/plain-duckdb.ts';
import type { PlainHttp } from './processes/plain-http.ts';
import type { Target } from './processes/tessera.ts';
import type { BenchmarkResult } from './report/report.ts';

/** What every benchmark has at hand. */
export interface Bench {
  /** The server to measure: that of `--url`, or one that is started when this is asked first. */
  target(): Promise<Target>;
  readonly duckdb: PlainDuckDb;
  readonly http: PlainHttp;
  readonly files: GeneratedFiles;
  /** 1 is the full size; smaller shrinks the data and the time. */
  readonly scale: number;
  /** All that the command line says, for benchmarks that take more of it than the scale. */
  readonly options: RunOptions;
  /** Aborted when the person at the terminal breaks off: a benchmark answers with what it has, or throws. */
  readonly signal: AbortSignal;
  /** Tells the person at the terminal what is being measured now, and how much of the benchmark is done, 0 to 1. */
  progress(doing: string, fraction?: number): void;
}

export type Benchmark = (bench: Bench) => Promise<BenchmarkResult>;

/** Runs `measure` so many times, one after the other, and keeps what each run came to. */
export async function repeat<T>(runs: number, measure: () => Promise<T>): Promise<T[]> {
  const samples: T[] = [];
  for (let run = 0; run < runs; run++) samples.push(await measure());
  return samples;
}
