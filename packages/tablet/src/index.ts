export type { HeaderOptions } from './header-options.ts';
export type { Comparison, Conjunct } from './predicate.ts';
export type { WriteOptions, WrittenTablet } from './tablet-writer.ts';
