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
  /** The method of measurement, in sentences for the reader of the page. */
  readonly method: string;
  readonly lines: readonly Line[];
  readonly charts?: readonly Chart[];
  readonly durationSeconds?: number;
  /** Problems although it was measured, such as differing answers; the run then fails. */
  readonly problems?: readonly string[];
  /** Notes for the reader, such as queries that a peer cannot run. */
  readonly notes?: readonly string[];
}

/** A chart of the HTML report. */
export interface Chart {
  readonly title: string;
  readonly x: Axis;
  readonly y: Axis;
  readonly series: readonly Series[];
  /** A reference value of y, such as 1 for ratios. */
  readonly reference?: number;
}

interface Axis {
  readonly label: string;
  readonly scale: 'linear' | 'log' | 'category';
}

export interface Series {
  readonly name: string;
  readonly points: readonly Point[];
  /** The index of its colour and shape; by default its position among the series. */
  readonly colour?: number;
}

export interface Point {
  /** The name of a category on such an axis. */
  readonly x: number | string;
  readonly y: number;
  /** The minimum and maximum over the runs. */
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

/** The version of {@link Report}; must be increased if readers of the previous version would be misled. */
export const REPORT_VERSION = 1;

/** All measurements of one run of the program; the content of `--json`. */
export interface Report {
  readonly version: typeof REPORT_VERSION;
  /** ISO 8601, UTC. */
  readonly startedAt: string;
  readonly durationSeconds: number;
  /** The words and options of the command line, without secrets. */
  readonly command: readonly string[];
  /**
   * The commit of the repository, with `-dirty` appended if files differ from it; undefined outside of one.
   */
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

/** Whether everything ran and all answers were correct; missed targets do not matter. */
export const isGood = ({ results, failures }: Report): boolean =>
  failures.length === 0 && results.every(({ problems = [] }) => problems.length === 0);
