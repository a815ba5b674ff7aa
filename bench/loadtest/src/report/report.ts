import { availableParallelism, cpus, release, totalmem, type } from 'node:os';
import type { Figure } from './figure.ts';

/** One measured case: its name and its figures by column title. */
export interface Line {
  readonly what: string;
  readonly figures: Readonly<Record<string, Figure>>;
  /** Texts shown beside the figures, such as the plan of a query, by column title. */
  readonly texts?: Readonly<Record<string, string>>;
}

export interface BenchmarkResult {
  readonly benchmark: string;
  readonly title: string;
  /** How it was measured, in sentences for the reader of the page. */
  readonly method: string;
  readonly lines: readonly Line[];
  readonly charts?: readonly Chart[];
  readonly durationSeconds?: number;
  /** What was wrong although it was measured, such as answers that differ; the run fails. */
  readonly problems?: readonly string[];
  /** What a reader has to know beside the figures, such as queries that a peer cannot do. */
  readonly notes?: readonly string[];
}

/** What the HTML report draws beside a table. */
export interface Chart {
  readonly title: string;
  readonly x: Axis;
  readonly y: Axis;
  readonly series: readonly Series[];
  /** A value of y that the others are seen against, such as 1 among ratios. */
  readonly reference?: number;
}

export interface Axis {
  readonly label: string;
  readonly scale: 'linear' | 'log' | 'category';
}

export interface Series {
  readonly name: string;
  readonly points: readonly Point[];
  /** Which colour and sign it has; its place among the series unless said otherwise. */
  readonly colour?: number;
}

export interface Point {
  /** A category's name on such an axis. */
  readonly x: number | string;
  readonly y: number;
  /** Least and greatest over the runs. */
  readonly spread?: readonly [least: number, greatest: number];
}

export interface Machine {
  readonly cpu: string;
  readonly cores: number;
  readonly memoryBytes: number;
  readonly system: string;
}

/** A benchmark that gave no result. */
export interface Failure {
  readonly benchmark: string;
  readonly reason: string;
}

/** Of {@link Report}; raised when a reader of the one before would be misled. */
export const REPORT_VERSION = 1;

/** Everything one run of the program measured; what `--json` writes. */
export interface Report {
  readonly version: typeof REPORT_VERSION;
  /** ISO 8601, UTC. */
  readonly startedAt: string;
  readonly durationSeconds: number;
  /** The words and options of the command line, without secrets. */
  readonly command: readonly string[];
  /** Of the repository, with `-dirty` behind it where files differ from it; undefined outside of one. */
  readonly commit?: string;
  readonly scale: number;
  readonly machine: Machine;
  readonly versions: Readonly<Record<string, string>>;
  readonly results: readonly BenchmarkResult[];
  readonly failures: readonly Failure[];
}

export const thisMachine = (): Machine => ({
  cpu: cpus()[0]?.model ?? 'unknown',
  cores: availableParallelism(),
  memoryBytes: totalmem(),
  system: `${type()} ${release()}`,
});

/** Whether everything ran, and all answers were right; targets are no part of it. */
export const isGood = ({ results, failures }: Report): boolean =>
  failures.length === 0 && results.every(({ problems = [] }) => problems.length === 0);
