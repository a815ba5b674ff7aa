import { HASH_BUCKETS, type Incarnation, TesseraError } from '@tessera/common';
import type { KernelSession } from '@tessera/kernel';
import { bucketSql } from '../hash-buckets.ts';
import { columnName } from '../outputs/output-sql.ts';
import type { OutputShape, ShuffleBlock } from '../shuffle.ts';
import type { FetchedRows, Sample } from './receive-blocks.ts';
import { selectFetched } from './relation-sql.ts';

/** This many rows in the right one of two halves cannot occur by chance. */
const ENOUGH_ROWS = 64;
const MAX_KNOWN = 10_000;

/**
 * Recomputes the buckets of sampled rows: with two kernels of different hash functions, equal keys would
 * never meet. A process that has shown enough rows of the same key types is not checked again, because it
 * cannot change its kernel.
 */
export class PartitionCheck {
  readonly #seen = new Map<string, number>();

  /** Whether rows of the block should be sampled. Rows of all buckets prove nothing. */
  isNeeded({ incarnation, buckets }: ShuffleBlock, shape: OutputShape): boolean {
    if (buckets === undefined || buckets[1] - buckets[0] === HASH_BUCKETS) return false;
    return (this.#seen.get(checkName(incarnation, shape)) ?? 0) < ENOUGH_ROWS;
  }

  /**
   * @param columns as returned by `fetchedColumns`
   * @throws TesseraError PARTITION_MISMATCH
   */
  async check(
    session: KernelSession,
    { schema, samples }: Pick<FetchedRows, 'schema' | 'samples'>,
    columns: readonly string[],
    blocks: readonly ShuffleBlock[],
    shape: OutputShape,
    nodeOf: (block: ShuffleBlock) => string,
  ): Promise<void> {
    const bucket = bucketSql(shape.hashKeys.map(columnName));
    for (const [source, ofSource] of Map.groupBy(samples, (sample) => sample.source)) {
      const block = blocks[source]!;
      const [from, to] = block.buckets!;
      const { sql } = await session.receive(schema, batchesOf(ofSource));
      const rows = selectFetched({ sql }, columns);
      const wrong = await session.scalar(
        `SELECT count(*) FROM (${rows}) WHERE ${bucket} NOT BETWEEN ${from} AND ${to - 1}`,
      );
      if (wrong !== 0) {
        const { stage } = block.producer;
        throw TesseraError.of('PARTITION_MISMATCH', { node: nodeOf(block), stage });
      }
      // In a range of most buckets, rows are in the right range by chance.
      if (to - from > HASH_BUCKETS / 2) continue;
      const name = checkName(block.incarnation, shape);
      if (this.#seen.size > MAX_KNOWN) this.#seen.clear();
      this.#seen.set(
        name,
        ofSource.reduce((sum, sample) => sum + sample.rows, this.#seen.get(name) ?? 0),
      );
    }
  }
}

const checkName = (incarnation: Incarnation, { columns, hashKeys }: OutputShape): string =>
  `${incarnation} ${hashKeys.map((key) => columns[key]?.type).join(';')}`;

async function* batchesOf(samples: readonly Sample[]): AsyncGenerator<{ readonly ipc: Uint8Array }> {
  for (const { ipc } of samples) yield { ipc };
}
