import { HASH_BUCKETS } from '@tessera/common';

/** `hash` gives 64 bits; the bucket is the topmost ten, which the kernel's own hash tables need least. */
const BUCKET_SHIFT = 64 - Math.log2(HASH_BUCKETS);

/**
 * SQL of the bucket of a row, by its keys. Equal keys of one type hash equally on all nodes: the kernel takes 0.0 and
 * -0.0, all NaNs, and intervals of one length as one.
 * @param disturbed for tests: another function, as a node of another kernel might have it
 */
export function bucketSql(keys: readonly string[], disturbed = false): string {
  const args = disturbed ? [...keys, "'disturbed'"] : keys;
  return `(hash(${args.join(', ')}) >> ${BUCKET_SHIFT})::USMALLINT`;
}
