import type { TableObject, Tablet } from '@tessera/catalog';
import { orderOf } from '@tessera/tablet';

/** The number of tablets that are sampled. */
const SAMPLED_TABLETS = 256;
/**
 * If the ranges of tablets cover the whole range at most this many times, they are assumed to hardly overlap.
 */
const MOST_COVERED = 2;

/**
 * The columns for which rows with equal values are mostly in the same tablet: the first column that tablets
 * are sorted by, if their ranges hardly overlap.
 */
export function clusteredBy(table: TableObject, tablets: readonly Tablet[]): ReadonlySet<string> {
  const column = table.columns.find(({ id }) => id === table.primaryIndex[0]);
  const order = column === undefined ? undefined : orderOf(column.type);
  if (column === undefined || order === undefined || tablets.length === 0) return new Set();
  const step = Math.max(1, tablets.length / SAMPLED_TABLETS);
  let [min, max, covered] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 0];
  for (let i = 0; i < tablets.length; i += step) {
    const found = tablets[Math.floor(i)]!.statistics.find((one) => one.column === column.id);
    if (found?.min === undefined || found.max === undefined) return new Set();
    const [low, high] = [Number(order.parse(found.min)), Number(order.parse(found.max))];
    min = Math.min(min, low);
    max = Math.max(max, high);
    covered += (high - low) * step;
  }
  return new Set(covered <= (max - min) * MOST_COVERED ? [column.name] : []);
}
