import { failureClass } from '../../load/failure-class.ts';

/** What became of requests of one kind, and when. */
export class Journal {
  /** When requests were answered, ascending. */
  readonly #answered: number[] = [];
  readonly failures = new Map<string, number>();
  /** Requests that some node answered, the first that was asked or another. */
  get answered(): number {
    return this.#answered.length;
  }

  /** Of those answered: by another node than the one asked first. */
  elsewhere = 0;
  /** Transactions that were refused because of others, and were repeated. */
  conflicts = 0;
  /** Requests that no node answered. */
  refused = 0;

  answer(now: number, isFirst: boolean): void {
    this.#answered.push(now);
    if (!isFirst) this.elsewhere++;
  }

  /** One node did not answer. */
  fail(error: unknown): void {
    const name = failureClass(error);
    this.failures.set(name, (this.failures.get(name) ?? 0) + 1);
  }

  /** The part of requests that were answered. */
  get availability(): number {
    const all = this.answered + this.refused;
    return all === 0 ? Number.NaN : this.answered / all;
  }

  /** The longest time within which nothing was answered. */
  longestSilence(from: number, to: number): number {
    const within = this.#answered.filter((time) => time > from && time < to);
    const edges = [from, ...within, to];
    return Math.max(...edges.slice(1).map((time, i) => time - edges[i]!));
  }

  /** How many were answered in each of the seconds after `from`. */
  bySecond(from: number, seconds: number): number[] {
    const counts: number[] = new Array(seconds).fill(0);
    for (const time of this.#answered) {
      const second = Math.floor((time - from) / 1_000);
      if (second >= 0 && second < seconds) counts[second]!++;
    }
    return counts;
  }
}
