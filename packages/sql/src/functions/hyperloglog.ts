import { fail } from '@tessera/common';
import { type Argument, literalInteger } from './expressions.ts';

/**
 * HyperLogLog sketches, made by the kernel's expressions.
 *
 * An entry is `register * 64 + rank`: the upper p bits of the 64-bit hash choose the register, the rank is the
 * position of the lowest set bit of the others, from 1. A sketch is a byte p (+ 64 when dense), then either
 * four bytes for each register in use (its entry, big-endian) or one byte for each of the 2^p registers (its rank).
 *
 * The estimate is Ertl's improved raw estimator ("New cardinality estimation algorithms for HyperLogLog sketches",
 * 2017), without its correction for saturated registers, which 64-bit hashes do not reach.
 */
export const HLL_MACROS: Readonly<Record<string, readonly string[]>> = {
  // x XOR x - 1 has the lowest set bit of x and the bits below it.
  hll_rank: ['(x) AS bit_count(xor(x, x - 1))'],
  hll_entry: [
    `(x, p) AS CASE WHEN x IS NOT NULL THEN ((hash(x) >> (64 - p)) * 64)::BIGINT
      + tsr_hll_rank((hash(x) & ((1::UBIGINT << (64 - p)) - 1))::BIGINT + (1::BIGINT << (64 - p))) END`,
  ],
  // The largest entry of each register; the lambdas of one element give their values names.
  hll_registers: [
    `(entries) AS list_transform([list_sort(list_filter(entries, e -> e IS NOT NULL), 'DESC')],
      s -> list_filter(s, (e, i) -> i = 1 OR s[i - 1] >> 6 <> e >> 6))[1]`,
  ],
  hll_encode: [
    `(entries, p) AS list_transform([tsr_hll_registers(coalesce(entries, []::BIGINT[]))], r ->
      CASE WHEN len(r) * 4 < 1 << p
        THEN unhex(printf('%02x', p) || array_to_string(list_transform(r, e -> printf('%08x', e)), ''))
        ELSE unhex(printf('%02x', p + 64) || array_to_string(list_transform(
          list_reverse(tsr_hll_registers(list_concat(r, range(0, (1::BIGINT << p) * 64, 64)))),
          e -> printf('%02x', e & 63)), '')) END)[1]`,
  ],
  hll_precision: [
    `(sketch) AS list_transform([('0x' || substring(hex(sketch), 1, 2))::INTEGER], b ->
      CASE WHEN b & 63 BETWEEN 12 AND 20 AND b < 128 AND CASE WHEN b >= 64
          THEN octet_length(sketch) = (1 << (b & 63)) + 1 ELSE octet_length(sketch) % 4 = 1 END
        THEN b & 63 ELSE error('not a sketch of hll_count_build') END)[1]`,
  ],
  hll_entries: [
    `(sketch) AS CASE WHEN octet_length(sketch) = 0 THEN error('not a sketch of hll_count_build')
      WHEN substring(hex(sketch), 1, 1) IN ('4', '5')
      THEN list_transform(regexp_extract_all(substring(hex(sketch), 3), '..'),
        (h, i) -> ('0x' || h)::BIGINT + (i - 1) * 64)
      ELSE list_transform(regexp_extract_all(substring(hex(sketch), 3), '.{8}'), h -> ('0x' || h)::BIGINT) END`,
  ],
  hll_merge: [
    `(sketches) AS list_transform([list_filter(sketches, s -> s IS NOT NULL)], known ->
      CASE WHEN len(known) = 0 THEN NULL
        WHEN len(list_distinct(list_transform(known, s -> tsr_hll_precision(s)))) > 1
          THEN error('hll_count_merge: the sketches have different precisions')
        ELSE tsr_hll_encode(list_filter(flatten(list_transform(known, s -> tsr_hll_entries(s))), e -> e & 63 > 0),
          tsr_hll_precision(known[1])) END)[1]`,
  ],
  hll_sigma: ['(x) AS x + list_sum(list_transform(range(1, 40), k -> pow(x, pow(2, k)) * pow(2, k - 1)))'],
  hll_formula: [
    `(m, ranks) AS CASE WHEN len(ranks) = 0 THEN 0 ELSE round(m::DOUBLE * m / (2 * ln(2))
      / (m * tsr_hll_sigma((m - len(ranks)) / m::DOUBLE) + list_sum(list_transform(ranks, r -> pow(2, -r)))))::BIGINT END`,
  ],
  hll_count_estimate: [
    `(sketch) AS CASE WHEN sketch IS NULL THEN NULL ELSE tsr_hll_formula(1::BIGINT << tsr_hll_precision(sketch),
      list_filter(list_transform(tsr_hll_entries(sketch), e -> e & 63), rank -> rank > 0)) END`,
  ],
};

/** The precision argument of a sketch: a literal from 12 (the default) to 20. */
export function hllPrecision(argument: Argument): number {
  if (argument === undefined) return 12;
  const precision = literalInteger(argument);
  if (precision === undefined || precision < 12 || precision > 20) {
    fail('INVALID_ARGUMENT', { message: 'The precision of a HyperLogLog sketch is a literal from 12 to 20' });
  }
  return precision;
}
