import type { TableObject } from '@tessera/catalog';
import type { GranuleColumn, KeyValue } from '../header/hybrid-header.ts';
import { orderOf, type ValueOrder } from '../values/order.ts';
import { parseType } from '../values/parse-type.ts';
import { keyColumns } from './copy-rows.ts';
import type { ColumnOutline } from './granule-columns.ts';

/**
 * Reads leave granules out because rows are sorted: a body that is not must never become a tablet.
 * @throws Error, a defect, when the granules are seen not to follow each other by the primary index
 */
export function checkSorted(
  table: TableObject,
  keys: readonly (readonly KeyValue[])[],
  outlines: readonly ColumnOutline[],
): void {
  const columns = keyColumns(table);
  const orders = columns.map((column) => orderOf(column.type));
  const leading = outlines.find(({ id }) => id === columns[0]?.id);
  // Bounds of texts may be cut: only those of other types are values.
  const order = leading === undefined || parseType(leading.type)?.id === 'VARCHAR' ? undefined : orders[0];
  for (let i = 1; i < keys.length; i++) {
    const overlap = order !== undefined && overlaps(leading!.granules[i - 1]!, leading!.granules[i]!, order);
    if (overlap || descends(keys[i - 1]!, keys[i]!, orders))
      throw new Error(`Rows of table ${table.name} were written out of order at granule ${i}`);
  }
}

/** The leading column's values never fall from one granule to the next. */
function overlaps(
  { max }: Pick<GranuleColumn, 'max'>,
  { min }: Pick<GranuleColumn, 'min'>,
  order: ValueOrder,
): boolean {
  const [high, low] = [max, min].map((text) => (text === undefined ? undefined : order.parse(text)));
  return high !== undefined && low !== undefined && order.compare(high, low) > 0;
}

/** As far as both keys can be compared. */
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
    // What a text that goes on is above is not known of texts with the same beginning.
    if (a.kind === 'prefix' && String(y).startsWith(a.text)) return false;
    if (b.kind === 'prefix' && String(x).startsWith(b.text)) return false;
    const place = order!.compare(x, y);
    if (place !== 0) return place > 0;
  }
  return false;
}
