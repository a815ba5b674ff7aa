import { HASH_BUCKETS, TesseraError } from '@tessera/common';
import type { KernelSession } from '@tessera/kernel';
import { bucketSql } from '../hash-buckets.ts';
import { columnName } from '../outputs/output-sql.ts';
import type { OutputShape, ShuffleBlock } from '../shuffle.ts';
import type { FetchedBatch } from './append-blocks.ts';
import { type FetchedRelation, selectFetched } from './relation-sql.ts';

const ROWS_OF_BATCH = 16;
const MAX_BATCHES = 64;

/** So many rows in the right one of two halves do not come about by chance. */
const ENOUGH_ROWS = 64;
const MAX_KNOWN = 10_000;

/**
 * Computes the buckets of the first rows of batches again: two kernels with different hash functions would let equal
 * keys meet nowhere. A process that has shown enough rows of the same key types is not checked again: it cannot change
 * its kernel.
 */
export class PartitionCheck {
  readonly #seen = new Map<string, number>();

  /** @throws TesseraError PARTITION_MISMATCH */
  async check(
    session: KernelSession,
    { table, columns }: FetchedRelation,
    blocks: readonly ShuffleBlock[],
    shape: OutputShape,
    nodeOf: (block: ShuffleBlock) => string,
  ): Promise<void> {
    const types = shape.hashKeys.map((key) => shape.columns[key]?.type).join(';');
    const known = ({ source }: FetchedBatch) => `${blocks[source]!.incarnation} ${types}`;
    const rangeOf = ({ source }: FetchedBatch) => blocks[source]!.buckets;
    const checked = table.batches
      .filter((batch) => isPart(rangeOf(batch)) && (this.#seen.get(known(batch)) ?? 0) < ENOUGH_ROWS)
      .slice(0, MAX_BATCHES);
    for (const batches of Map.groupBy(checked, (batch) => String(rangeOf(batch))).values()) {
      const [from, to] = rangeOf(batches[0]!)!;
      const row = await session.scalar(
        `SELECT min("$row") FROM (
           ${selectFetched({ table, columns }, ['rowid AS "$row"'])} WHERE rowid IN (${batches.flatMap(firstRows).join(', ')})
         ) WHERE ${bucketSql(shape.hashKeys.map(columnName))} NOT BETWEEN ${from} AND ${to - 1}`,
      );
      if (row === null) continue;
      const wrong = batches.findLast((batch) => batch.firstRow <= Number(row))!;
      const block = blocks[wrong.source]!;
      throw TesseraError.of('PARTITION_MISMATCH', { node: nodeOf(block), stage: block.producer.stage });
    }
    if (this.#seen.size > MAX_KNOWN) this.#seen.clear();
    for (const batch of checked) {
      const [from, to] = rangeOf(batch)!;
      // Rows of most buckets are in the right ones by chance.
      if (to - from > HASH_BUCKETS / 2) continue;
      this.#seen.set(known(batch), (this.#seen.get(known(batch)) ?? 0) + firstRows(batch).length);
    }
  }
}

/** Rows of all buckets show nothing. */
const isPart = (buckets: ShuffleBlock['buckets']): boolean =>
  buckets !== undefined && buckets[1] - buckets[0] < HASH_BUCKETS;

const firstRows = ({ firstRow, rows }: FetchedBatch): number[] =>
  Array.from({ length: Math.min(rows, ROWS_OF_BATCH) }, (_, i) => firstRow + i);
