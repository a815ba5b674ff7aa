import { HASH_BUCKETS } from '@tessera/common';

/** `hash` returns 64 bits. The bucket is the highest ten, which the kernel's own hash tables need least. */
const BUCKET_SHIFT = 64 - Math.log2(HASH_BUCKETS);

/**
 * SQL of the bucket of a row, by its keys. Equal keys of one type have equal hashes on all nodes: the kernel
 * treats 0.0 and -0.0, all NaNs, and intervals of equal length as equal.
 * @param disturbed for tests: another hash function, as a node with another kernel might have
 */
export function bucketSql(keys: readonly string[], disturbed = false): string {
  const args = disturbed ? [...keys, "'disturbed'"] : keys;
  return `(hash(${args.join(', ')}) >> ${BUCKET_SHIFT})::USMALLINT`;
}
