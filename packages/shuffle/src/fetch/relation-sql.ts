import type { KernelSession } from '@tessera/kernel';
import { columnName, namedColumns, storedType, typedColumns } from '../outputs/output-sql.ts';
import type { OutputShape } from '../shuffle.ts';
import { decodedSql, mayBeInParts } from '../types/exchange-encoding.ts';
import { typesNamed } from '../types/named-types.ts';
import type { FetchedTable } from './append-blocks.ts';

export interface FetchedRelation {
  readonly table: FetchedTable;
  /** As `fetchedColumns` gives them. */
  readonly columns: readonly string[];
}

/** The columns of outputs, by position, and what else is selected. */
export const selectFetched = ({ table, columns }: FetchedRelation, also: readonly string[] = []): string =>
  `SELECT ${[...also, ...columns].join(', ')} FROM temp.main.${table.name}`;

/** SQL of each column of a fetched table, by position, of the types of the shape. */
export async function fetchedColumns(session: KernelSession, shape: OutputShape): Promise<string[]> {
  const inParts = shape.columns.flatMap((_, i) => storedType(shape, i) ?? []).filter(mayBeInParts);
  const types = inParts.length === 0 ? undefined : await typesNamed(session, inParts);
  return typedColumns(shape, (position) => {
    const type = types?.get(storedType(shape, position) ?? '');
    return type === undefined ? columnName(position) : decodedSql(columnName(position), type);
  });
}

/** The rows of blocks as one relation with the columns of the shape; without blocks, a relation without rows. */
export function relationSql(fetched: FetchedRelation | undefined, shape: OutputShape): string {
  const named = namedColumns(shape).join(', ');
  const rows =
    fetched === undefined
      ? `(SELECT ${typedColumns(shape, () => 'NULL').join(', ')}) WHERE false`
      : `(${selectFetched(fetched)})`;
  return `(SELECT ${named} FROM ${rows})`;
}
