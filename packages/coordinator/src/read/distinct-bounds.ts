import type { Column, TableObject, Tablet } from '@tessera/catalog';
import { orderOf } from '@tessera/tablet';

/** So many tablets, spread over the table, stand for all of them. */
const SAMPLED_TABLETS = 256;

/** Types of which there is a smallest step from one value to the next, which is 1 in the form that `orderOf` gives them. */
const DISCRETE =
  /^(?:U?(?:TINYINT|SMALLINT|INTEGER|INT|BIGINT|HUGEINT)|DECIMAL\b.*|NUMERIC\b.*|DATE|BOOLEAN)$/i;

/**
 * How many distinct values the columns of a table have at most, as the ranges of their values tell, for the columns where
 * that is fewer than there are rows. Of large tables some tablets are looked at.
 */
export function distinctBounds(table: TableObject, tablets: readonly Tablet[]): ReadonlyMap<string, number> {
  const step = Math.max(1, tablets.length / SAMPLED_TABLETS);
  const sampled = Array.from(
    { length: Math.min(tablets.length, SAMPLED_TABLETS) },
    (_, i) => tablets[Math.min(tablets.length - 1, Math.floor(i * step))]!,
  );
  const last = tablets.at(-1);
  if (last !== undefined && sampled.at(-1) !== last) sampled.push(last);
  const rows = tablets.reduce((sum, tablet) => sum + tablet.rows, 0);
  const bounds = new Map<string, number>();
  for (const column of table.columns) {
    const values = TEXT.test(column.type) ? codes(column, sampled) : valuesBetween(column, sampled);
    if (values !== undefined && values < rows) bounds.set(column.name, values);
  }
  return bounds;
}

const TEXT = /^(?:TEXT|VARCHAR|STRING)$/i;

/**
 * Of a column whose smallest and largest values in all tablets are single characters: flags and the like, where longer texts
 * in between are not to be expected.
 */
function codes({ id }: Column, tablets: readonly Tablet[]): number | undefined {
  let [min, max] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const { rows, statistics } of tablets) {
    const found = statistics.find(({ column }) => column === id);
    if (found !== undefined && found.nulls >= rows) continue;
    if (found?.min?.length !== 1 || found.max?.length !== 1) return undefined;
    min = Math.min(min, found.min.charCodeAt(0));
    max = Math.max(max, found.max.charCodeAt(0));
  }
  return Number.isFinite(max - min) ? max - min + 1 : undefined;
}

/** From the smallest to the largest value; undefined where they are not known, or there are others in between. */
function valuesBetween({ id, type }: Column, tablets: readonly Tablet[]): number | undefined {
  const order = DISCRETE.test(type) ? orderOf(type) : undefined;
  if (order === undefined) return undefined;
  let [min, max] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const { rows, statistics } of tablets) {
    const found = statistics.find(({ column }) => column === id);
    if (found === undefined) return undefined;
    if (found.nulls >= rows) continue;
    const [low, high] = [found.min, found.max].map((text) =>
      text === undefined ? undefined : order.parse(text),
    );
    if (low === undefined || high === undefined) return undefined;
    min = Math.min(min, Number(low));
    max = Math.max(max, Number(high));
  }
  return Number.isFinite(max - min) ? max - min + 1 : undefined;
}
