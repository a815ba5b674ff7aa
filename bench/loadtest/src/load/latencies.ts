import {
  build,
  decodeFromCompressedBase64,
  encodeIntoCompressedBase64,
  type Histogram,
} from 'hdr-histogram-js';

const MICROSECONDS = 1_000;
const HOUR = 3_600_000_000;
/** Counts are of 32 bits; two values that differ in the third digit are told apart. */
const SHAPE = {
  lowestDiscernibleValue: 1,
  highestTrackableValue: HOUR,
  numberOfSignificantValueDigits: 3,
  bitBucketSize: 32,
} as const;

/** Milliseconds below which so much of the answers came. */
export interface Percentiles {
  readonly p50: number;
  readonly p90: number;
  readonly p95: number;
  readonly p99: number;
  readonly p999: number;
  readonly max: number;
}

/** How long answers took: every one of them counted, none averaged away, in as much memory for a million as for one. */
export class Latencies {
  readonly #histogram: Histogram;

  constructor(histogram: Histogram = build(SHAPE)) {
    this.#histogram = histogram;
  }

  /** @param encoded what `encoded` gave, here or in another process */
  static of(encoded: string): Latencies {
    return new Latencies(decodeFromCompressedBase64(encoded, SHAPE.bitBucketSize));
  }

  /** All of them together. */
  static together(parts: readonly Latencies[]): Latencies {
    const all = new Latencies();
    for (const part of parts) all.#histogram.add(part.#histogram);
    return all;
  }

  /** More than an hour counts as an hour. */
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

  /** NaN of none. */
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
