import { TesseraError } from '@tessera/common';
import type { KernelSession } from '@tessera/kernel';
import { bucketSql } from '../hash-buckets.ts';
import { columnName } from '../outputs/output-table.ts';
import type { OutputShape, Piece } from '../shuffle.ts';
import type { FetchedBatch } from './append-pieces.ts';
import type { DistantPiece } from './located-piece.ts';
import { type FetchedRelation, selectFetched } from './relation-sql.ts';

/** Where rows fall into a range of half of all buckets by chance, a wrong batch goes unnoticed once in 65,536 times. */
const ROWS_OF_BATCH = 16;
const MAX_BATCHES = 64;

/**
 * Computes the buckets of the first rows of batches again: two kernels with different hash functions would let equal
 * keys meet nowhere.
 * @throws TesseraError PARTITION_MISMATCH
 */
export async function checkBuckets(
  session: KernelSession,
  fetched: FetchedRelation,
  pieces: readonly DistantPiece[],
  shape: OutputShape,
  nodeOf: (piece: Piece) => string,
): Promise<void> {
  const rangeOf = ({ source }: FetchedBatch) => pieces[source]!.piece.buckets;
  const checked = fetched.table.batches.filter((batch) => rangeOf(batch) !== undefined).slice(0, MAX_BATCHES);
  for (const batches of Map.groupBy(checked, (batch) => String(rangeOf(batch))).values()) {
    const [from, to] = rangeOf(batches[0]!)!;
    const row = await session.scalar(
      `SELECT min("$row") FROM (
         ${selectFetched(fetched, ['rowid AS "$row"'])} WHERE rowid IN (${batches.flatMap(firstRows).join(', ')})
       ) WHERE ${bucketSql(shape.hashKeys.map(columnName))} NOT BETWEEN ${from} AND ${to - 1}`,
    );
    if (row === null) continue;
    const wrong = batches.findLast((batch) => batch.firstRow <= Number(row))!;
    const { piece } = pieces[wrong.source]!;
    throw TesseraError.of('PARTITION_MISMATCH', { node: nodeOf(piece), stage: piece.producer.stage });
  }
}

const firstRows = ({ firstRow, rows }: FetchedBatch): number[] =>
  Array.from({ length: Math.min(rows, ROWS_OF_BATCH) }, (_, i) => firstRow + i);
