import type { TableObject, Tablet } from '@tessera/catalog';
import { fail } from '@tessera/common';
import { isCountedType } from '@tessera/sql';

/**
 * Refuses a tablet with NULL in a NOT NULL column, by the counts in its statistics, without reading rows
 * again. It only covers columns whose type `isCountedType`; the query of the rows checks the others.
 * @throws TesseraError NOT_NULL_VIOLATION
 */
export function refuseNulls(table: TableObject, tablet: Tablet): void {
  for (const { id, name, type, nullable } of table.columns) {
    if (nullable || !isCountedType(type)) continue;
    const counted = tablet.statistics.find(({ column }) => column === id);
    if (counted === undefined)
      throw new Error(`Tablet ${tablet.id} does not count the NULLs of column ${name}`);
    if (counted.nulls > 0) fail('NOT_NULL_VIOLATION', { table: table.name, column: name });
  }
}
