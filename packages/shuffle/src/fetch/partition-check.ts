import { TesseraError } from '@tessera/common';
import type { KernelSession } from '@tessera/kernel';
import { bucketSql } from '../hash-buckets.ts';
import { columnName, typedColumns } from '../outputs/output-table.ts';
import type { OutputShape, Piece } from '../shuffle.ts';
import type { FetchedTable } from './append-pieces.ts';
import type { DistantPiece } from './located-piece.ts';

/** So many rows of a fetch are checked at most. */
const MAX_CHECKED = 1_000;

/**
 * Computes the buckets of the first rows of batches again: two kernels with different hash functions would let equal
 * keys meet nowhere.
 * @throws TesseraError PARTITION_MISMATCH
 */
export async function checkBuckets(
  session: KernelSession,
  table: FetchedTable,
  pieces: readonly DistantPiece[],
  shape: OutputShape,
  nodeOf: (piece: Piece) => string,
): Promise<void> {
  const checked = table.batchStarts
    .filter(({ source }) => pieces[source]!.piece.buckets !== undefined)
    .slice(0, MAX_CHECKED);
  if (checked.length === 0) return;
  const expected = checked.map(({ row, source }) => {
    const [from, to] = pieces[source]!.piece.buckets!;
    return `(${row}, ${from}, ${to}, ${source})`;
  });
  const wrong = await session.scalar(
    `SELECT min(source) FROM (SELECT rowid AS row, ${typedColumns(shape).join(', ')} FROM temp.main.${table.name} WHERE rowid IN (${checked.map(({ row }) => row).join(', ')})) AS found
     JOIN (VALUES ${expected.join(', ')}) AS expected(row, first, beyond, source) USING (row)
     WHERE ${bucketSql(shape.hashKeys.map(columnName))} NOT BETWEEN first AND beyond - 1`,
  );
  if (wrong === null) return;
  const { piece } = pieces[Number(wrong)]!;
  throw TesseraError.of('PARTITION_MISMATCH', { node: nodeOf(piece), stage: piece.producer.stage });
}
