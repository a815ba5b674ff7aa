import type { Column, TableObject, Tablet } from '@tessera/catalog';
import { distinctValues, orderOf } from '@tessera/tablet';

/** The number of tablets, spread over the table, that are sampled. */
const SAMPLED_TABLETS = 256;

/** Types with a smallest step between values, which is 1 in the form that `orderOf` returns. */
const DISCRETE =
  /^(?:U?(?:TINYINT|SMALLINT|INTEGER|INT|BIGINT|HUGEINT)|DECIMAL\b.*|NUMERIC\b.*|DATE|BOOLEAN)$/i;

/**
 * Estimates the number of distinct values of the columns of a table from the ranges of their values and from the dictionaries of
 * tablets, for the columns about which these say something. Of large tables some tablets are looked at.
 *
 * @param clustered names of the columns whose equal values are mostly in one tablet
 */
export function distinctBounds(
  table: TableObject,
  tablets: readonly Tablet[],
  clustered: ReadonlySet<string>,
): ReadonlyMap<string, number> {
  const sampled = sampleOf(tablets);
  const rows = tablets.reduce((sum, tablet) => sum + tablet.rows, 0);
  const bounds = new Map<string, number>();
  for (const column of table.columns) {
    const isText = TEXT.test(column.type);
    const between = isText ? codes(column, sampled) : valuesBetween(column, sampled);
    const counted = clustered.has(column.name) ? undefined : distinctValues(column.id, sampled);
    const values = Math.min(between ?? Number.POSITIVE_INFINITY, counted ?? Number.POSITIVE_INFINITY);
    if (values < rows) bounds.set(column.name, values);
    // A text without a dictionary has very many values, unlike one of which nothing is known.
    else if (isText && counted !== undefined) bounds.set(column.name, rows);
  }
  return bounds;
}

/** Some tablets of a large table, spread over it. */
function sampleOf(tablets: readonly Tablet[]): readonly Tablet[] {
  const step = Math.max(1, tablets.length / SAMPLED_TABLETS);
  const sampled = Array.from(
    { length: Math.min(tablets.length, SAMPLED_TABLETS) },
    (_, i) => tablets[Math.min(tablets.length - 1, Math.floor(i * step))]!,
  );
  const last = tablets.at(-1);
  if (last !== undefined && sampled.at(-1) !== last) sampled.push(last);
  return sampled;
}

/** The shares of NULL by the names of columns, without those whose NULLs were not counted in all tablets. */
export function nullShares(table: TableObject, tablets: readonly Tablet[]): ReadonlyMap<string, number> {
  const counted = new Map<number, { nulls: number; tablets: number }>();
  const sampled = sampleOf(tablets);
  for (const { statistics } of sampled)
    for (const { column, nulls } of statistics) {
      const before = counted.get(column);
      counted.set(column, { nulls: nulls + (before?.nulls ?? 0), tablets: 1 + (before?.tablets ?? 0) });
    }
  const rows = Math.max(
    1,
    sampled.reduce((sum, tablet) => sum + tablet.rows, 0),
  );
  return new Map(
    table.columns.flatMap(({ id, name }) => {
      const found = counted.get(id);
      return found?.tablets === sampled.length ? [[name, found.nulls / rows] as const] : [];
    }),
  );
}

const TEXT = /^(?:TEXT|VARCHAR|STRING)$/i;

/**
 * The bound for a column whose smallest and largest values are single characters in all tablets: flags and
 * similar codes, between which longer texts are unlikely.
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

/**
 * The number of values from the smallest to the largest; undefined if they are unknown, or if there may be
 * others in between.
 */
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
