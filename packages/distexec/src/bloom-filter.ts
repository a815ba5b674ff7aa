import { quoteName } from '@tessera/kernel';

/**
 * A Bloom filter of two hashes over the values of a column: an array of bits whose length is a power of two.
 * Bit i is the (i mod 8)th highest bit of byte i / 8, as in the kernel's type BIT. A value sets two bits: the
 * low and the high half of its hash, each modulo the number of bits. Every node computes the same hashes, as
 * for hash buckets.
 */
export type BloomFilter = Uint8Array;

const LEAST_BITS = 2 ** 13;
const MOST_FILTER_BYTES = 4 << 20;

/** The filters of several tasks are merged, so each task leaves room for the keys of others. */
const BITS_PER_ROW = 32;

const bitsFor = (rows: number): number =>
  Math.min(MOST_FILTER_BYTES * 8, Math.max(LEAST_BITS, 2 ** Math.ceil(Math.log2(rows * BITS_PER_ROW))));

/** SQL of an aggregate that builds the filter of a column of `rows` rows, as a BLOB. NULLs are ignored. */
export function bloomFilterSql(column: string, rows: number): string {
  const bits = bitsFor(rows);
  const set = (index: string) => `bitstring_agg(${index}, 0, ${bits - 1})`;
  const [low, high] = bitIndexes(column, bits);
  return `CAST(${set(low)} FILTER (WHERE ${column} IS NOT NULL) | ${set(high)} FILTER (WHERE ${column} IS NOT NULL) AS BLOB)`;
}

/**
 * SQL of a condition: the filter in the session's variable contains the value of the column (false positives
 * are possible).
 */
export function passesFilterSql(column: string, variable: string, { length }: BloomFilter): string {
  return bitIndexes(column, length * 8)
    .map((index) => `get_bit(getvariable('${variable}'), ${index}) = 1`)
    .join(' AND ');
}

/** SQL that stores the filter, passed as a parameter, in a variable of the session. */
export const setFilterSql = (variable: string): string =>
  `SET VARIABLE ${quoteName(variable)} = CAST($1 AS BIT)`;

const bitIndexes = (column: string, bits: number): readonly [string, string] => [
  `CAST(hash(${column}) & ${bits - 1} AS INTEGER)`,
  `CAST((hash(${column}) >> 32) & ${bits - 1} AS INTEGER)`,
];
