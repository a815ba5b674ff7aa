/** One answer to a reader of the progress: the counted percentage, and how long the statement had run by then. */
export interface Sample {
  readonly percent: number;
  readonly atMs: number;
}

/** The smallest difference, in percent, between two samples that are kept. */
const LEAST_PERCENT = 1;
const MAX_STATEMENTS = 500;
/** The fastest ones count, because what else the machine did has disturbed them least. */
const RUNS = { kept: 5, counted: 3 };
/** The weight of the time that an earlier run took where the counts agree, and how far they are then apart, as a logarithm. */
const TIME = { weight: 1 / 2, apart: 0.4 };

/** The latest runs of statements, by the statements without their literals. */
const pastRuns = new Map<string, readonly PastRun[]>();

/** How the counts of a statement and the time that it took were related in one run. */
export class PastRun {
  readonly #samples: readonly Sample[];
  readonly #durationMs: number;

  /** @param samples in the order in which they were taken; none if nobody read the progress */
  constructor(samples: readonly Sample[], durationMs: number) {
    const kept: Sample[] = [{ percent: 0, atMs: 0 }];
    for (const sample of samples)
      if (sample.percent >= kept.at(-1)!.percent + LEAST_PERCENT) kept.push(sample);
    this.#samples = kept;
    this.#durationMs = Math.max(1, durationMs);
  }

  keepFor(statement: string): void {
    const runs = [this, ...(pastRuns.get(statement) ?? [])].slice(0, RUNS.kept);
    pastRuns.delete(statement);
    pastRuns.set(statement, runs);
    if (pastRuns.size > MAX_STATEMENTS) pastRuns.delete(pastRuns.keys().next().value!);
  }

  /**
   * The part of its time that a run of the statement has behind it, in percent, if it has counted what `samples` say. Undefined if the
   * statement has not run before.
   * @param isDistributed whether the counts are those of several nodes, whose tasks are not the same in each run
   */
  static percentOf(
    statement: string,
    samples: readonly Sample[],
    isDistributed: boolean,
  ): number | undefined {
    const runs = pastRuns.get(statement);
    if (runs === undefined) return undefined;
    const latest = samples.at(-1)!;
    const byTime = Math.min(100, (100 * latest.atMs) / runs[0]!.#durationMs);
    const watched = runs.filter((run) => run.#samples.length > 1);
    if (watched.length === 0) return combined(byTime, latest.percent);
    const counted = watched.toSorted((a, b) => a.#durationMs - b.#durationMs).slice(0, RUNS.counted);
    const byCounts = counted.reduce((sum, run) => sum + run.#percentOf(samples), 0) / counted.length;
    return isDistributed ? combined(byTime, byCounts) : byCounts;
  }

  /** While the counts stand still, a run goes on at its pace, up to what this run had reached before it counted more. */
  #percentOf(samples: readonly Sample[]): number {
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

/**
 * Between the part of an earlier run's time that has passed and what was counted. A busy machine changes the time that a run takes, so
 * the time counts the less, the further it is from the counts.
 */
function combined(byTime: number, byCounts: number): number {
  if (byCounts === 0) return byTime;
  const apart = Math.log(byTime / byCounts) / TIME.apart;
  const weight = TIME.weight / (1 + apart ** 2);
  return weight * byTime + (1 - weight) * byCounts;
}
