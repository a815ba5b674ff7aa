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
  // x XOR (x - 1) consists of the lowest set bit of x and all bits below it.
  hll_rank: ['(x) AS bit_count(xor(x, x - 1))'],
  hll_entry: [
    `(x, p) AS CASE WHEN x IS NOT NULL THEN ((hash(x) >> (64 - p)) * 64)::BIGINT
      + tsr_hll_rank((hash(x) & ((1::UBIGINT << (64 - p)) - 1))::BIGINT + (1::BIGINT << (64 - p))) END`,
  ],
  // The largest entry of each register: entries are sorted in descending order, and each is compared with its
  // predecessor.
  // Here and below, lambdas over arrays of one element name a value that is used more than once.
  hll_registers: [
    `(entries) AS list_transform([list_sort(list_filter(entries, e -> e IS NOT NULL), 'DESC')], sorted ->
      list_transform(list_filter(list_zip(sorted, list_concat([NULL::BIGINT], sorted), true),
        z -> z[2] IS NULL OR z[1] >> 6 <> z[2] >> 6), z -> z[1]))[1]`,
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
    `(sketch) AS list_transform([coalesce(TRY_CAST('0x' || substring(hex(sketch), 1, 2) AS INTEGER), 0)], head ->
      CASE WHEN sketch IS NULL THEN NULL WHEN head & 63 BETWEEN 12 AND 20 AND head < 128 AND CASE WHEN head >= 64
          THEN octet_length(sketch) = (1 << (head & 63)) + 1 ELSE octet_length(sketch) % 4 = 1 END
        THEN head & 63 ELSE error('not a sketch of hll_count_build') END)[1]`,
  ],
  hll_entries: [
    `(sketch) AS CASE WHEN sketch IS NULL THEN NULL WHEN octet_length(sketch) = 0 THEN error('not a sketch of hll_count_build')
      WHEN substring(hex(sketch), 1, 1) IN ('4', '5')
      THEN list_transform(regexp_extract_all(substring(hex(sketch), 3), '..'),
        (h, i) -> ('0x' || h)::BIGINT + (i - 1) * 64)
      ELSE list_transform(regexp_extract_all(substring(hex(sketch), 3), '.{8}'), h -> ('0x' || h)::BIGINT) END`,
  ],
  // The body of a lambda is evaluated per element, including the argument of a macro in it. So arguments are
  // bound to names outside.
  hll_merge: [
    `(sketches) AS list_transform(list_transform([sketches], known -> {
        'precisions': list_distinct(list_transform(known, b -> tsr_hll_precision(b::BLOB))),
        'entries': flatten(list_transform(known, b -> tsr_hll_entries(b::BLOB)))}),
      tsr_merged -> CASE len(tsr_merged.precisions) WHEN 0 THEN NULL
        WHEN 1 THEN tsr_hll_encode(list_filter(tsr_merged.entries, e -> (e & 63) > 0), tsr_merged.precisions[1])
        ELSE error('hll_count_merge: the sketches have different precisions') END)[1]`,
  ],
  hll_sigma: ['(x) AS x + list_sum(list_transform(range(1, 40), k -> pow(x, pow(2, k)) * pow(2, k - 1)))'],
  hll_formula: [
    `(m, used, harmonic) AS CASE WHEN used = 0 THEN 0 * m
      ELSE round(m::DOUBLE * m / (2 * ln(2)) / (m * tsr_hll_sigma((m - used) / m::DOUBLE) + harmonic))::BIGINT END`,
  ],
  hll_count_estimate: [
    `(sketch) AS list_transform(list_transform(list_transform([sketch::BLOB], s -> {
          'm': 1::BIGINT << tsr_hll_precision(s),
          'ranks': list_filter(list_transform(tsr_hll_entries(s), e -> e & 63), rank -> rank > 0)}),
        tsr_q -> {'m': tsr_q.m, 'used': len(tsr_q.ranks), 'harmonic': list_sum(list_transform(tsr_q.ranks, r -> pow(2, -r)))}),
      tsr_q -> tsr_hll_formula(tsr_q.m, tsr_q.used, tsr_q.harmonic))[1]`,
  ],
};

/** The precision of a sketch: an integer literal from 12 (the default) to 20. */
export function hllPrecision(argument: Argument): number {
  if (argument === undefined) return 12;
  const precision = literalInteger(argument);
  if (precision === undefined || precision < 12 || precision > 20) {
    fail('INVALID_ARGUMENT', { message: 'The precision of a HyperLogLog sketch is a literal from 12 to 20' });
  }
  return precision;
}
