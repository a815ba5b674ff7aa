/**
 * Eight bytes of an unsigned number, lowest first, as hexadecimal digits. The expression swaps the two digits
 * of each byte and then reverses the whole text.
 */
const LITTLE_ENDIAN =
  'CREATE OR REPLACE MACRO tsr_little_endian(n) AS reverse(lpad(hex(((n & 1085102592571150095::UBIGINT) * 16::UBIGINT) | ((n >> 4) & 1085102592571150095::UBIGINT)), 16, chr(48)))';

/** Up to this number, every integer is exactly representable as a double. */
const EXACT_DOUBLES = 2 ** 53;
/**
 * Below this count, the exact quotient is never so close to the midpoint of two doubles that rounding it to
 * the kernel's wider floating-point type first, as `avg` does, would change the result.
 */
const FEW = 2 ** 11;
const MAX_UBIGINT = '18446744073709551615';

/**
 * `tsr_average(total, amount)`: both arguments are HUGEINT; the result equals, bit by bit, that of the
 * kernel's `avg` over numbers with this sum and count. `avg` divides in `long double`, for which SQL has no
 * operator. So the pair is encoded as the state of an `avg(BIGINT)` (the count, then the sum in 16 bytes),
 * and the kernel finishes that state. Averages of a few small numbers are divided directly. So are counts of
 * 2^64 and more, where the last bit may differ. NULL if there are no rows.
 */
export const averageMacros: readonly string[] = [
  LITTLE_ENDIAN,
  `CREATE OR REPLACE MACRO tsr_average_state(total, amount) AS unhex(concat(
  tsr_little_endian(amount::UBIGINT),
  tsr_little_endian((total & ${MAX_UBIGINT}::HUGEINT)::UBIGINT),
  tsr_little_endian((((total - (total & ${MAX_UBIGINT}::HUGEINT)) // 18446744073709551616::HUGEINT) & ${MAX_UBIGINT}::HUGEINT)::UBIGINT)))`,
  `CREATE OR REPLACE MACRO tsr_average(total, amount) AS CASE
  WHEN coalesce(amount, 0) = 0 THEN NULL
  WHEN amount > ${MAX_UBIGINT}::HUGEINT OR (amount < ${FEW} AND total BETWEEN -${EXACT_DOUBLES} AND ${EXACT_DOUBLES})
    THEN total::DOUBLE / amount::DOUBLE
  ELSE finalize(combine((SELECT avg(NULL::BIGINT) EXPORT_STATE), tsr_average_state(total, amount))) END`,
];
