import type { TableObject } from '@tessera/catalog';
import type { KernelType } from '@tessera/kernel';
import { parseType } from './parse-type.ts';

/** The number of Parquet columns of a table's bodies: nested types have one for each value that they contain. */
export const leavesOf = ({ columns }: Pick<TableObject, 'columns'>): number =>
  columns.reduce((sum, { type }) => sum + leavesIn(parseType(type)), 0);

function leavesIn(type: KernelType | undefined): number {
  switch (type?.id) {
    case 'LIST':
    case 'ARRAY':
      return leavesIn(type.child);
    case 'STRUCT':
      return type.fields.reduce((sum, field) => sum + leavesIn(field.type), 0);
    case 'MAP':
      return leavesIn(type.key) + leavesIn(type.value);
    default:
      return 1;
  }
}
