import { availableParallelism, cpus, release, totalmem, type } from 'node:os';
import type { Figure } from './figure.ts';

/** One measured case: its name and its figures by column title. */
export interface Line {
  readonly what: string;
  readonly figures: Readonly<Record<string, Figure>>;
}

export interface BenchmarkResult {
  readonly benchmark: string;
  readonly title: string;
  /** How it was measured, in sentences for the reader of the page. */
  readonly method: string;
  readonly lines: readonly Line[];
  readonly charts?: readonly Chart[];
}

/** What the HTML report draws beside a table. */
export interface Chart {
  readonly title: string;
  readonly x: Axis;
  readonly y: Axis;
  readonly series: readonly Series[];
}

export interface Axis {
  readonly label: string;
  readonly scale: 'linear' | 'log' | 'category';
}

export interface Series {
  readonly name: string;
  readonly points: readonly Point[];
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

/** Everything one run of the program measured; what `--json` writes. */
export interface Report {
  readonly startedAt: string;
  readonly scale: number;
  readonly machine: Machine;
  readonly versions: Readonly<Record<string, string>>;
  readonly results: readonly BenchmarkResult[];
}

export const thisMachine = (): Machine => ({
  cpu: cpus()[0]?.model ?? 'unknown',
  cores: availableParallelism(),
  memoryBytes: totalmem(),
  system: `${type()} ${release()}`,
});
