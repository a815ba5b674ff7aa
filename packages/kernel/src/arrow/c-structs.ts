/** The size of `struct ArrowSchema` of the C Data Interface and the offsets of its members. */
export const SCHEMA_BYTES = 72;
export const SCHEMA_AT = {
  format: 0,
  name: 8,
  metadata: 16,
  flags: 24,
  childCount: 32,
  children: 40,
  dictionary: 48,
  release: 56,
};
/** A bit of `flags`. */
export const NULLABLE = 2n;

/** The size of `struct ArrowArray` of the C Data Interface and the offsets of its members. */
export const ARRAY_BYTES = 80;
export const ARRAY_AT = {
  length: 0,
  nullCount: 8,
  bufferCount: 24,
  childCount: 32,
  buffers: 40,
  children: 48,
  dictionary: 56,
  release: 64,
};
