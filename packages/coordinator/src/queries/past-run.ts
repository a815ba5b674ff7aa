/** What a reader of the progress has learned: the counted percentage, and how long the statement had run. */
export interface Sample {
  readonly percent: number;
  readonly atMs: number;
}

/** Samples that are closer to each other tell nothing more. */
const LEAST_PERCENT = 0.25;
const MAX_STATEMENTS = 500;
/** Single runs differ by what else the machine did. */
const RUNS_OF_STATEMENT = 3;

/** The latest runs of statements whose progress was read, by the statements without their literals. */
const pastRuns = new Map<string, readonly PastRun[]>();

/** How the counts of a statement and the time that it took were related in one run. */
export class PastRun {
  readonly #samples: readonly Sample[];
  readonly #durationMs: number;

  /** @param samples in the order in which they were taken */
  constructor(samples: readonly Sample[], durationMs: number) {
    const kept: Sample[] = [{ percent: 0, atMs: 0 }];
    for (const sample of samples)
      if (sample.percent >= kept.at(-1)!.percent + LEAST_PERCENT) kept.push(sample);
    this.#samples = kept;
    this.#durationMs = Math.max(1, durationMs);
  }

  static of(statement: string): readonly PastRun[] {
    return pastRuns.get(statement) ?? [];
  }

  keepFor(statement: string): void {
    const runs = [this, ...PastRun.of(statement)].slice(0, RUNS_OF_STATEMENT);
    pastRuns.delete(statement);
    pastRuns.set(statement, runs);
    if (pastRuns.size > MAX_STATEMENTS) pastRuns.delete(pastRuns.keys().next().value!);
  }

  /**
   * The part of its time that a run has behind it, in percent, if it has counted what `samples` say. While its counts stand still, it
   * goes on at its pace, up to what the last run reached before it counted more.
   */
  percentOf(samples: readonly Sample[]): number {
    const { percent, atMs } = samples.at(-1)!;
    const sinceMs = samples.find((sample) => sample.percent === percent)!.atMs;
    const next = this.#samples.findIndex((sample) => sample.percent > percent);
    const to = this.#samples[next] ?? { percent: 100, atMs: this.#durationMs };
    const from = this.#samples.at(next < 0 ? -1 : next - 1)!;
    const part = Math.min(1, (percent - from.percent) / Math.max(LEAST_PERCENT, to.percent - from.percent));
    const reachedMs = from.atMs + part * (to.atMs - from.atMs);
    const pace = reachedMs === 0 || sinceMs === 0 ? 1 : reachedMs / sinceMs;
    return (100 * Math.min(to.atMs, reachedMs + pace * (atMs - sinceMs))) / this.#durationMs;
  }
}
