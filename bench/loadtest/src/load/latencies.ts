import {
  build,
  decodeFromCompressedBase64,
  encodeIntoCompressedBase64,
  type Histogram,
} from 'hdr-histogram-js';

const MICROSECONDS = 1_000;
const HOUR = 3_600_000_000;
/** Counters have 32 bits; values that differ in the third digit are distinguished. */
const SHAPE = {
  lowestDiscernibleValue: 1,
  highestTrackableValue: HOUR,
  numberOfSignificantValueDigits: 3,
  bitBucketSize: 32,
} as const;

/** The latencies in milliseconds below which the given percentage of the answers arrived. */
export interface Percentiles {
  readonly p50: number;
  readonly p90: number;
  readonly p95: number;
  readonly p99: number;
  readonly p999: number;
  readonly max: number;
}

/**
 * A histogram of latencies: every answer is counted, none is averaged, and a million take no more memory than
 * one.
 */
export class Latencies {
  readonly #histogram: Histogram;

  constructor(histogram: Histogram = build(SHAPE)) {
    this.#histogram = histogram;
  }

  /** @param encoded the result of `encoded`, in this or another process */
  static of(encoded: string): Latencies {
    return new Latencies(decodeFromCompressedBase64(encoded, SHAPE.bitBucketSize));
  }

  /** The sum of several histograms. */
  static together(parts: readonly Latencies[]): Latencies {
    const all = new Latencies();
    for (const part of parts) all.#histogram.add(part.#histogram);
    return all;
  }

  /** Values above an hour count as an hour. */
  record(milliseconds: number): void {
    const microseconds = Math.round(milliseconds * MICROSECONDS);
    this.#histogram.recordValue(Math.min(HOUR, Math.max(1, microseconds)));
  }

  get count(): number {
    return this.#histogram.totalCount;
  }

  get meanMs(): number {
    return this.#histogram.mean / MICROSECONDS;
  }

  /** NaN if there are no values. */
  percentile(p: number): number {
    if (this.count === 0) return Number.NaN;
    const value = p >= 100 ? this.#histogram.maxValue : this.#histogram.getValueAtPercentile(p);
    return value / MICROSECONDS;
  }

  get percentiles(): Percentiles {
    return {
      p50: this.percentile(50),
      p90: this.percentile(90),
      p95: this.percentile(95),
      p99: this.percentile(99),
      p999: this.percentile(99.9),
      max: this.percentile(100),
    };
  }

  encoded(): string {
    return encodeIntoCompressedBase64(this.#histogram);
  }
}
