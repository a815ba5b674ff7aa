/** Eight bytes of an unsigned number, the lowest first, as hexadecimal digits: digits swapped in each byte, then all reversed. */
const LITTLE_ENDIAN =
  'CREATE OR REPLACE MACRO tsr_little_endian(n) AS reverse(lpad(hex(((n & 1085102592571150095::UBIGINT) * 16::UBIGINT) | ((n >> 4) & 1085102592571150095::UBIGINT)), 16, chr(48)))';

/** The highest number up to which all whole numbers are doubles. */
const EXACT_DOUBLES = 2 ** 53;
/**
 * Below it the quotient of exact doubles cannot lie so near to the middle of two doubles that rounding it to the kernel's wider
 * floating point number first, as `avg` does, would change the result.
 */
const FEW = 2 ** 11;
const MAX_UBIGINT = '18446744073709551615';

/**
 * `tsr_average(total, amount)`: both HUGEINT, the quotient bit by bit as the kernel's `avg` over numbers with that sum and count
 * gives it. `avg` divides in `long double`, which SQL has no operator for, so the pair becomes the state of an `avg(BIGINT)` (count,
 * then the sum in 16 bytes), and the kernel finishes that. Averages of few small numbers take the short way; so do amounts of 2^64 and
 * more, where the last bit may differ. NULL without rows.
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
