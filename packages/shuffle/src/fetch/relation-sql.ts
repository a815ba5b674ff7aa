import { namedColumns, selectionSql, typedColumns } from '../outputs/output-table.ts';
import type { OutputShape } from '../shuffle.ts';
import type { FetchedTable } from './append-pieces.ts';
import type { NearPiece } from './located-piece.ts';

/** The rows of pieces as one relation with the columns of the shape. */
export function relationSql(
  near: readonly NearPiece[],
  table: FetchedTable | undefined,
  shape: OutputShape,
): string {
  const named = namedColumns(shape).join(', ');
  const branches = near.map(
    ({ piece, output }) => `SELECT ${named} FROM ${output.table}${selectionSql(piece, output.rows)}`,
  );
  if (table !== undefined) {
    branches.push(
      `SELECT ${named} FROM (SELECT ${typedColumns(shape).join(', ')} FROM temp.main.${table.name})`,
    );
  }
  if (branches.length === 0) {
    const none = typedColumns(shape).map((column) =>
      column.replace(/^CAST\(c\d+/, 'CAST(NULL').replace(/^c/, 'NULL AS c'),
    );
    branches.push(`SELECT ${named} FROM (SELECT ${none.join(', ')}) WHERE false`);
  }
  return `(${branches.join(' UNION ALL ')})`;
}
