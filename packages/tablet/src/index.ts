export type { HeaderOptions } from './header-options.ts';
export type { Comparison, Conjunct } from './predicate.ts';
export { fromStored, storedType } from './values/stored-type.ts';
export { type WriteOptions, type WrittenTablet, writeTablets } from './write/tablet-writer.ts';
