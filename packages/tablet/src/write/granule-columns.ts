import type { Column, ColumnStatistics } from '@tessera/catalog';
import type { ColumnChunk, RowGroup } from '../body/parquet-footer.ts';
import type { HeaderColumn } from '../header/hybrid-header.ts';
import { type OrderedValue, orderOf, type ValueOrder } from '../values/order.ts';
import { parseType } from '../values/parse-type.ts';
import { lowerBound, upperBound } from '../values/plain-value.ts';
import type { ByteRange } from './chunk-sums.ts';

/** The header's description of one column, without checksums, and the number of distinct values of each granule. */
export type ColumnOutline = Omit<HeaderColumn, 'granules'> & {
  readonly granules: readonly (Omit<HeaderColumn['granules'][number], 'crc32c'> & {
    readonly distinct?: number | undefined;
  })[];
};

/** The ranges and statistics of a column in each row group. Nested columns only have ranges. */
export function outlineOf(column: Column, groups: readonly RowGroup[], shift: number): ColumnOutline {
  return {
    id: column.id,
    storedName: column.storedName,
    type: column.type,
    granules: groups.map((group) => {
      const chunks = group.chunks.filter(({ path }) => path[0] === column.storedName);
      const { offset, bytes } = rangeOf(chunks, column.storedName);
      return { offset: offset + shift, bytes, ...boundsOf(column, group.rows, chunks) };
    }),
  };
}

/** The range of a column; its leaves are adjacent. */
function rangeOf(chunks: readonly ColumnChunk[], name: string): ByteRange {
  const first = chunks[0];
  if (first === undefined) throw new Error(`The body has no column ${name}`);
  let end = first.offset;
  for (const { offset, bytes } of chunks) {
    if (offset !== end) throw new Error(`The chunks of column ${name} do not stand side by side`);
    end += bytes;
  }
  return { offset: first.offset, bytes: end - first.offset };
}

function boundsOf(column: Column, rows: number, chunks: readonly ColumnChunk[]) {
  const [chunk, ...others] = chunks;
  const { nulls, min, max, distinct } = chunk!.statistics ?? {};
  if (others.length > 0 || chunk!.path.length > 1 || nulls === undefined) return {};
  const counts = { nulls, distinct: distinct ?? rows - nulls };
  const type = parseType(column.type);
  if (type === undefined || nulls === rows) return counts;
  return {
    ...counts,
    min: min === undefined ? undefined : lowerBound(type, min),
    max: max === undefined ? undefined : upperBound(type, max),
  };
}

/**
 * The statistics of a column in the whole tablet; undefined if the NULLs of some granule were not counted.
 */
export function statisticsOf(
  { id, type, granules }: ColumnOutline,
  granuleRows: readonly number[],
): ColumnStatistics | undefined {
  let nulls = 0;
  let distinct: number | undefined;
  for (const granule of granules) {
    if (granule.nulls === undefined) return undefined;
    nulls += granule.nulls;
    distinct = granule.distinct === undefined ? distinct : Math.max(granule.distinct, distinct ?? 0);
  }
  const filled = granules.filter((granule, i) => granule.nulls !== granuleRows[i]);
  const order = orderOf(type);
  const min = extreme(
    filled.map((granule) => granule.min),
    order,
    -1,
  );
  const max = extreme(
    filled.map((granule) => granule.max),
    order,
    1,
  );
  return {
    column: id,
    nulls,
    ...(distinct === undefined ? {} : { distinct }),
    ...(min === undefined ? {} : { min }),
    ...(max === undefined ? {} : { max }),
  };
}

/** The smallest (-1) or largest (1) value; undefined if one of them is unknown. */
function extreme(
  bounds: readonly (string | undefined)[],
  order: ValueOrder | undefined,
  side: -1 | 1,
): string | undefined {
  let found: string | undefined;
  let place: OrderedValue | undefined;
  for (const bound of bounds) {
    const value = bound === undefined ? undefined : order?.parse(bound);
    if (value === undefined) return undefined;
    if (place !== undefined && order!.compare(value, place) * side <= 0) continue;
    found = bound;
    place = value;
  }
  return found;
}
