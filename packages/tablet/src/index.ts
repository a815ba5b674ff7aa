export { type FileColumn, FooterDocument, type ParquetFooter, type RowGroup } from './body/parquet-footer.ts';
export { MalformedThrift } from './body/thrift-compact.ts';
export type { GranuleColumn, HeaderColumn, HybridHeader } from './header/hybrid-header.ts';
export type { HeaderOptions } from './header-options.ts';
export { assignByKeys, KeyPlacement } from './placement/assign-by-keys.ts';
export { type AssignableTablet, assignTablets, type TabletShare } from './placement/assign-tablets.ts';
export type { KeyRange, TabletKeys } from './placement/key-range.ts';
export { type KeySpace, keyColumnOf, keySpaceOf } from './placement/key-space.ts';
export { type KeyedRows, type SplitRange, splitKeys } from './placement/split-keys.ts';
export type { Comparison, Conjunct } from './predicate.ts';
export { type BoundsOf, type FileBounds, fileFilter } from './prune/prune-files.ts';
export { pruneGranules } from './prune/prune-granules.ts';
export { pruneTablets } from './prune/prune-tablets.ts';
export {
  type Chunk,
  chunksOf,
  damagedChunk,
  type FetchRange,
  rangesOver,
} from './read/plan-ranges.ts';
export { readHeader } from './read/read-header.ts';
export {
  bloomBits,
  bloomFilterSql,
  GRANULE_COLUMN,
  type GranuleFilter,
  HASH_IDENTITY_SQL,
  HASHES_COLUMN,
  hashesSql,
  valueSet,
  valueSetSql,
} from './skip/granule-filter.ts';
export { decidedConditions, type FilterKinds, granuleTest, hashedConstants } from './skip/skip-granules.ts';
export { distinctValues } from './values/distinct-values.ts';
export { type OrderedValue, orderOf, type ValueOrder } from './values/order.ts';
export { DeletedRows, type RowRange } from './vector/deleted-rows.ts';
export { deletedRowsOf, extendedVector, type VectorContent, vectorContent } from './vector/vector-content.ts';
export type { RowValue } from './write/row-body.ts';
export { rowTablet } from './write/row-tablet.ts';
export { writeTablets } from './write/tablet-writer.ts';
export type { WriteOptions, WrittenTablet } from './write/write-options.ts';
