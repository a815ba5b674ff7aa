import type { KernelSession } from '@tessera/kernel';
import { columnName, namedColumns, storedType, typedColumns } from '../outputs/output-sql.ts';
import type { OutputShape } from '../shuffle.ts';
import { decodedSql, mayBeInParts } from '../types/exchange-encoding.ts';
import { typesNamed } from '../types/named-types.ts';
import type { FetchedRows } from './receive-blocks.ts';

/** SQL that selects the columns of outputs, by position. */
export const selectFetched = ({ sql }: Pick<FetchedRows, 'sql'>, columns: readonly string[]): string =>
  `SELECT ${columns.join(', ')} FROM ${sql}`;

/** SQL of each column of fetched rows, by position, with the types of the shape. */
export async function fetchedColumns(session: KernelSession, shape: OutputShape): Promise<string[]> {
  const inParts = shape.columns.flatMap((_, i) => storedType(shape, i) ?? []).filter(mayBeInParts);
  const types = inParts.length === 0 ? undefined : await typesNamed(session, inParts);
  return typedColumns(shape, (position) => {
    const type = types?.get(storedType(shape, position) ?? '');
    return type === undefined ? columnName(position) : decodedSql(columnName(position), type);
  });
}

/** A relation without rows that has the columns of the shape. */
export const emptyRelation = (shape: OutputShape): string => relationSql(undefined, [], shape);

/**
 * The rows of blocks as one relation with the columns of the shape; without blocks, a relation without rows.
 * @param columns as returned by `fetchedColumns`
 */
export function relationSql(
  fetched: Pick<FetchedRows, 'sql'> | undefined,
  columns: readonly string[],
  shape: OutputShape,
): string {
  const named = namedColumns(shape).join(', ');
  const rows =
    fetched === undefined
      ? `(SELECT ${typedColumns(shape, () => 'NULL').join(', ')}) WHERE false`
      : `(${selectFetched(fetched, columns)})`;
  return `(SELECT ${named} FROM ${rows})`;
}
