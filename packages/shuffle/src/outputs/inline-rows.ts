import { crc32c } from '@node-rs/crc32';
import { HASH_BUCKETS } from '@tessera/common';
import { RowBlock } from '@tessera/kernel';
import type { BlockRange, InlineRows } from '../shuffle.ts';
import { addCounts, bucketStarts, rangeOf, sliceOf } from './bucket-starts.ts';
import type { ReadPart } from './read-part.ts';

export const inlineRows = (schema: Uint8Array, batch: Uint8Array): InlineRows => ({
  schema,
  batch,
  crc32c: crc32c(batch, crc32c(schema)),
});

/** Whether the rows are unchanged since they were sent. */
export const isIntact = ({ schema, batch, crc32c: sent }: InlineRows): boolean =>
  crc32c(batch, crc32c(schema)) === sent;

/** The rows of a range, in the form of `OutputRows.read`. */
export function* readInline(
  { schema, batch }: InlineRows,
  { buckets, slice }: BlockRange,
): Generator<ReadPart> {
  yield schema;
  const block = new RowBlock(schema, aligned(batch));
  const starts = buckets === undefined ? undefined : startsIn(block);
  const { from, length } = rangeOf({ rows: block.rows, starts }, buckets);
  const [first, end] = sliceOf(length, slice);
  if (first === end) return;
  const isWhole = end - first === block.rows;
  const ipc = isWhole ? batch : Buffer.concat(block.cut(from + first, from + end));
  yield { ipc, rows: end - first, release: () => undefined };
}

function startsIn(block: RowBlock): Uint32Array {
  const counts = new Uint32Array(HASH_BUCKETS);
  addCounts(counts, block.lastColumn());
  return bucketStarts(counts);
}

/** Copies bytes to an aligned address, which Arrow requires: bytes of a message may begin anywhere in it. */
export function aligned(bytes: Uint8Array): Uint8Array {
  if (bytes.byteOffset % 8 === 0) return bytes;
  const copy = Buffer.allocUnsafeSlow(bytes.length);
  copy.set(bytes);
  return copy;
}
