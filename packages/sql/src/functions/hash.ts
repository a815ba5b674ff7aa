import { CITY_HASH } from './city-hash.ts';
import { internalCall, kernelCall } from './expressions.ts';
import { inCategory } from './types.ts';

export const HASH_FUNCTIONS = inCategory('hash and sketch', [
  {
    name: 'city_hash',
    signatures: ['city_hash(any, …) → bigint'],
    description: 'A 64-bit hash that is the same in all versions of the engine: CityHash64 (v1.0.2).',
    example: "city_hash('esimpson', '08-25-2016')",
    result: '-6509667128195191394',
    implementation: CITY_HASH,
  },
  {
    name: 'hash',
    signatures: ['hash(any, …) → bigint'],
    description: 'A fast 64-bit hash of the arguments. It may change between versions of the engine.',
    example: "hash(1, 'a') = hash(1, 'a')",
    result: 'true',
    implementation: {
      kind: 'rewrite',
      arity: [1, Number.POSITIVE_INFINITY],
      rewrite: ({ children }) => internalCall('signed', kernelCall('hash', ...children)),
    },
  },
  {
    name: 'hll_count_estimate',
    signatures: ['hll_count_estimate(bytea) → bigint'],
    description:
      'The approximate number of distinct values in a sketch. `hll_count_build` and `hll_count_merge` make sketches; this function is not an aggregate.',
    example: 'SELECT hll_count_estimate(hll_count_build(x)) FROM (VALUES (1), (2), (2)) t(x)',
    result: '2',
    implementation: { kind: 'alias', of: 'tsr_hll_count_estimate' },
  },
]);
