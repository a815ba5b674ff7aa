import type { Tablet } from '@tessera/catalog';

/** A granule in which more than this share of the values are distinct says little about how many there are in the table. */
const UNSATURATED = 0.5;

/**
 * The number of distinct values that the granules of tablets suggest, if each of them has a random part of the rows: infinite where
 * nearly every row has another value. Undefined where they were not counted.
 */
export function distinctValues(columnId: number, tablets: readonly Tablet[]): number | undefined {
  let most: number | undefined;
  for (const { rows, granules, statistics } of tablets) {
    const { distinct, nulls = 0 } = statistics.find(({ column }) => column === columnId) ?? {};
    if (distinct === undefined) return undefined;
    most = Math.max(most ?? 0, valuesSuggested(distinct, (rows - nulls) / Math.max(1, granules)));
  }
  return most;
}

/**
 * The number of distinct values of a column, estimated from a random sample: the number for which a sample of
 * this many rows is expected to contain this many distinct values.
 */
function valuesSuggested(distinct: number, rows: number): number {
  if (distinct > rows * UNSATURATED) return Number.POSITIVE_INFINITY;
  let values = distinct;
  for (let step = 0; step < 5; step++) values = distinct / -Math.expm1(-rows / Math.max(1, values));
  return Math.round(values);
}
