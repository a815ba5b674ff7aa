import { PersistentMap } from '../persistent/persistent-map.ts';

/** Transactions committed one after another; dropped together. */
export interface Period {
  readonly firstMs: number;
  readonly lastMs: number;
  /** Versions by transaction id. */
  readonly versions: PersistentMap<number>;
}

const KEPT_MS = 24 * 3_600_000;
const PERIOD_MS = 3_600_000;
const PERIOD_SIZE = 16_384;
const MOST_KEPT = 262_144;
const LEAST_KEPT = 4_096;

/**
 * The committed transactions and their versions. Immutable. Results are kept for 24 hours of entry time; among the
 * newest 262,144 at least 245,760 are kept, and at least 4,096 however much time has passed.
 */
export class TransactionResults {
  readonly periods: readonly Period[];

  constructor(periods: readonly Period[]) {
    this.periods = periods;
  }

  static readonly empty = new TransactionResults([]);

  get size(): number {
    return this.periods.reduce((sum, period) => sum + period.versions.size, 0);
  }

  get(idempotencyKey: string): number | undefined {
    for (let i = this.periods.length - 1; i >= 0; i--) {
      const version = this.periods[i]!.versions.get(idempotencyKey);
      if (version !== undefined) return version;
    }
    return undefined;
  }

  with(idempotencyKey: string, version: number, timeMs: number): TransactionResults {
    const last = this.periods.at(-1);
    const fits = last !== undefined && last.versions.size < PERIOD_SIZE && timeMs - last.firstMs < PERIOD_MS;
    if (fits) {
      const grown = {
        firstMs: last.firstMs,
        lastMs: Math.max(last.lastMs, timeMs),
        versions: last.versions.with(idempotencyKey, version),
      };
      return new TransactionResults(this.periods.with(-1, grown));
    }
    const fresh = {
      firstMs: timeMs,
      lastMs: timeMs,
      versions: PersistentMap.from([[idempotencyKey, version]]),
    };
    let kept = this.#recent(timeMs);
    let size = kept.reduce((sum, period) => sum + period.versions.size, 0);
    while (size + PERIOD_SIZE > MOST_KEPT) {
      size -= kept[0]!.versions.size;
      kept = kept.slice(1);
    }
    return new TransactionResults([...kept, fresh]);
  }

  /** A clock that jumps ahead must not make the log forget what was committed a moment ago. */
  #recent(timeMs: number): readonly Period[] {
    let newer = 0;
    const from = this.periods.findLastIndex((period) => {
      const old = timeMs - period.lastMs >= KEPT_MS && newer >= LEAST_KEPT;
      newer += period.versions.size;
      return old;
    });
    return this.periods.slice(from + 1);
  }
}
