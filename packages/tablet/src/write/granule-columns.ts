import type { Column, ColumnStatistics } from '@tessera/catalog';
import type { ColumnChunk, RowGroup } from '../body/parquet-footer.ts';
import type { HeaderColumn } from '../header/hybrid-header.ts';
import { type OrderedValue, orderOf, type ValueOrder } from '../values/order.ts';
import { parseType } from '../values/parse-type.ts';
import { lowerBound, upperBound } from '../values/plain-value.ts';
import type { ByteRange } from './chunk-sums.ts';

/** What the header says of one column, but for the checksums. */
export type ColumnOutline = Omit<HeaderColumn, 'granules'> & {
  readonly granules: readonly Omit<HeaderColumn['granules'][number], 'crc32c'>[];
};

/** Ranges and statistics of a column in each of the row groups. Nested columns have ranges only. */
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

/** The leaves of a column stand side by side. */
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
  const { nulls, min, max } = chunk!.statistics ?? {};
  if (others.length > 0 || chunk!.path.length > 1 || nulls === undefined) return {};
  const type = parseType(column.type);
  if (type === undefined || nulls === rows) return { nulls };
  return {
    nulls,
    min: min === undefined ? undefined : lowerBound(type, min),
    max: max === undefined ? undefined : upperBound(type, max),
  };
}

/** Of a column in the whole tablet; undefined when not every granule's NULLs are counted. */
export function statisticsOf(
  { id, type, granules }: ColumnOutline,
  granuleRows: readonly number[],
): ColumnStatistics | undefined {
  let nulls = 0;
  for (const granule of granules) {
    if (granule.nulls === undefined) return undefined;
    nulls += granule.nulls;
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
  return { column: id, nulls, ...(min === undefined ? {} : { min }), ...(max === undefined ? {} : { max }) };
}

/** The smallest (-1) or largest (1); undefined when one of them is not known. */
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
