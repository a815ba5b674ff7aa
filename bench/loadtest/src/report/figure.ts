export type Unit = 'µs' | 'ms' | 's' | 'MB' | 'MB/s' | 'rows/s' | 'requests/s' | '×' | '';

/** One measured quantity over several runs. */
export interface Figure {
  readonly unit: Unit;
  readonly median: number;
  readonly min: number;
  readonly max: number;
  readonly runs: number;
  readonly target?: Target;
}

/** The target for a figure's median. */
export interface Target {
  readonly at: 'most' | 'least';
  readonly value: number;
}

/** Summarises one sample per run. */
export function figure(unit: Unit, samples: readonly number[], target?: Target): Figure {
  const sorted = samples.toSorted((a, b) => a - b);
  return {
    unit,
    median: percentile(sorted, 50),
    min: percentile(sorted, 0),
    max: percentile(sorted, 100),
    runs: sorted.length,
    ...(target && { target }),
  };
}

/** The p-th percentile of ascending samples, interpolated linearly; NaN if there are none. */
export function percentile(ascending: readonly number[], p: number): number {
  const place = ((ascending.length - 1) * p) / 100;
  const below = ascending[Math.floor(place)] ?? Number.NaN;
  const above = ascending[Math.ceil(place)] ?? Number.NaN;
  return below + (above - below) * (place - Math.floor(place));
}

export const meetsTarget = ({ median, target }: Figure): boolean =>
  target === undefined || (target.at === 'most' ? median <= target.value : median >= target.value);
