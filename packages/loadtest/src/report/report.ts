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
