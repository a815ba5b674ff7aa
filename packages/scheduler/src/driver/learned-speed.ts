/** Tasks that are alone in their stage cannot use all nodes. */
export type TaskKind = 'alone' | 'divided';

export interface TaskSpeed {
  /** A task's share of the time, in milliseconds, for each millisecond of CPU time. */
  readonly msPerCpu: number;
  /** The CPU time for each millisecond of estimated work. */
  readonly cpuPerWork: number;
}

/** Shorter runs say nothing: CPU time is measured in steps of 10 ms. */
const LEAST_CPU_MS = 50;
/** The weight of the latest run, once several runs are known. */
const LATEST_WEIGHT = 0.2;

/** How fast the tasks of earlier runs were. The latest runs count most, because what else the machine does changes. */
export class LearnedSpeed {
  static readonly ofProcess = new LearnedSpeed();

  readonly #speeds = new Map<TaskKind, TaskSpeed & { readonly runs: number }>();

  of(kind: TaskKind): TaskSpeed {
    return this.#speeds.get(kind) ?? { msPerCpu: 1, cpuPerWork: 1 };
  }

  learn(kind: TaskKind, run: { readonly ms: number; readonly cpuMs: number; readonly workMs: number }): void {
    if (run.cpuMs < LEAST_CPU_MS || run.workMs === 0) return;
    const { runs, msPerCpu, cpuPerWork } = this.#speeds.get(kind) ?? { runs: 0, ...this.of(kind) };
    const weight = Math.max(LATEST_WEIGHT, 1 / (runs + 1));
    this.#speeds.set(kind, {
      runs: runs + 1,
      msPerCpu: msPerCpu * (run.ms / run.cpuMs / msPerCpu) ** weight,
      cpuPerWork: cpuPerWork * (run.cpuMs / run.workMs / cpuPerWork) ** weight,
    });
  }
}
