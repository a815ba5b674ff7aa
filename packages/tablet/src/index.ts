export type { GranuleColumn, HeaderColumn, HybridHeader } from './header/hybrid-header.ts';
export type { HeaderOptions } from './header-options.ts';
export type { Comparison, Conjunct } from './predicate.ts';
export {
  type Chunk,
  chunksOf,
  damagedChunk,
  type FetchRange,
  planRanges,
  type RangeLimits,
  rangesOver,
} from './read/plan-ranges.ts';
export { readHeader } from './read/read-header.ts';
export { fromStored, storedType } from './values/stored-type.ts';
export { type WriteOptions, type WrittenTablet, writeTablets } from './write/tablet-writer.ts';
