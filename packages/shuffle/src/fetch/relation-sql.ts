import type { KernelSession } from '@tessera/kernel';
import { columnName, namedColumns, selectionSql, storedType, typedColumns } from '../outputs/output-table.ts';
import type { OutputShape } from '../shuffle.ts';
import { decodedSql, mayBeInParts } from '../types/exchange-encoding.ts';
import { typesNamed } from '../types/named-types.ts';
import type { FetchedTable } from './append-pieces.ts';
import type { NearPiece } from './located-piece.ts';

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

/** The rows of pieces as one relation with the columns of the shape. */
export function relationSql(
  near: readonly NearPiece[],
  fetched: FetchedRelation | undefined,
  shape: OutputShape,
): string {
  const named = namedColumns(shape).join(', ');
  const branches = near.map(
    ({ piece, output }) => `SELECT ${named} FROM ${output.table}${selectionSql(piece, output.rows)}`,
  );
  if (fetched !== undefined) branches.push(`SELECT ${named} FROM (${selectFetched(fetched)})`);
  if (branches.length === 0) {
    branches.push(
      `SELECT ${named} FROM (SELECT ${typedColumns(shape, () => 'NULL').join(', ')}) WHERE false`,
    );
  }
  return `(${branches.join(' UNION ALL ')})`;
}
