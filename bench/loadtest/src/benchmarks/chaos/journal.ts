import { failureClass } from '../../load/failure-class.ts';

/** The outcomes of requests of one kind, with their times. */
export class Journal {
  /** The times when requests were answered, ascending. */
  readonly #answered: number[] = [];
  readonly failures = new Map<string, number>();
  /** The number of requests that some node answered, the first that was asked or another. */
  get answered(): number {
    return this.#answered.length;
  }

  /** The number of answered requests for which another node than the first one answered. */
  elsewhere = 0;
  /** The number of transactions that were refused because of conflicts and then repeated. */
  conflicts = 0;
  /** The number of requests that no node answered. */
  refused = 0;

  answer(now: number, isFirst: boolean): void {
    this.#answered.push(now);
    if (!isFirst) this.elsewhere++;
  }

  /** Records that one node did not answer. */
  fail(error: unknown): void {
    const name = failureClass(error);
    this.failures.set(name, (this.failures.get(name) ?? 0) + 1);
  }

  /** The fraction of requests that were answered. */
  get availability(): number {
    const all = this.answered + this.refused;
    return all === 0 ? Number.NaN : this.answered / all;
  }

  /** The longest period without an answer. */
  longestSilence(from: number, to: number): number {
    const within = this.#answered.filter((time) => time > from && time < to);
    const edges = [from, ...within, to];
    return Math.max(...edges.slice(1).map((time, i) => time - edges[i]!));
  }

  /** The number of answers in each second after `from`. */
  bySecond(from: number, seconds: number): number[] {
    const counts: number[] = new Array(seconds).fill(0);
    for (const time of this.#answered) {
      const second = Math.floor((time - from) / 1_000);
      if (second >= 0 && second < seconds) counts[second]!++;
    }
    return counts;
  }
}
