import type { TableObject } from '@tessera/catalog';
import type { GranuleColumn, KeyValue } from '../header/hybrid-header.ts';
import { orderOf, type ValueOrder } from '../values/order.ts';
import { parseType } from '../values/parse-type.ts';
import { keyColumns } from './copy-rows.ts';
import type { ColumnOutline } from './granule-columns.ts';

/**
 * Verifies that rows are sorted: reads skip granules based on the order, so an unsorted body must never
 * become a tablet.
 * @throws Error, which indicates a defect, if the granules are not in the order of the primary index
 */
export function checkSorted(
  table: TableObject,
  keys: readonly (readonly KeyValue[])[],
  outlines: readonly ColumnOutline[],
): void {
  const columns = keyColumns(table);
  const orders = columns.map((column) => orderOf(column.type));
  const leading = outlines.find(({ id }) => id === columns[0]?.id);
  // Bounds of texts may be truncated; only those of other types are values.
  const order = leading === undefined || parseType(leading.type)?.id === 'VARCHAR' ? undefined : orders[0];
  for (let i = 1; i < keys.length; i++) {
    const overlap = order !== undefined && overlaps(leading!.granules[i - 1]!, leading!.granules[i]!, order);
    if (overlap || descends(keys[i - 1]!, keys[i]!, orders))
      throw new Error(`Rows of table ${table.name} were written out of order at granule ${i}`);
  }
}

/** Whether the value ranges of the leading column overlap between two consecutive granules. */
function overlaps(
  { max }: Pick<GranuleColumn, 'max'>,
  { min }: Pick<GranuleColumn, 'min'>,
  order: ValueOrder,
): boolean {
  const [high, low] = [max, min].map((text) => (text === undefined ? undefined : order.parse(text)));
  return high !== undefined && low !== undefined && order.compare(high, low) > 0;
}

/** Whether a key is greater than the next one, as far as both can be compared. */
function descends(
  before: readonly KeyValue[],
  after: readonly KeyValue[],
  orders: readonly (ValueOrder | undefined)[],
): boolean {
  for (const [i, order] of orders.entries()) {
    const [a, b] = [before[i]!, after[i]!];
    if (a.kind === 'null' && b.kind === 'null') continue;
    if (a.kind === 'null' || b.kind === 'null') return a.kind === 'null';
    const [x, y] = [order?.parse(a.text), order?.parse(b.text)];
    if (x === undefined || y === undefined) return false;
    // A truncated text cannot be compared with texts that begin with it.
    if (a.kind === 'prefix' && String(y).startsWith(a.text)) return false;
    if (b.kind === 'prefix' && String(x).startsWith(b.text)) return false;
    const place = order!.compare(x, y);
    if (place !== 0) return place > 0;
  }
  return false;
}
