const FIXED_BYTES: Readonly<Record<string, number>> = {
  BOOLEAN: 1,
  TINYINT: 1,
  UTINYINT: 1,
  SMALLINT: 2,
  USMALLINT: 2,
  INTEGER: 4,
  UINTEGER: 4,
  FLOAT: 4,
  DATE: 4,
  ENUM: 4,
  NULL: 4,
  BIGINT: 8,
  UBIGINT: 8,
  DOUBLE: 8,
  TIME: 8,
  TIME_NS: 8,
  TIMETZ: 8,
  TIMESTAMP: 8,
  TIMESTAMP_S: 8,
  TIMESTAMP_MS: 8,
  TIMESTAMP_NS: 8,
  TIMESTAMPTZ: 8,
  TIMESTAMPTZ_NS: 8,
  HUGEINT: 16,
  UHUGEINT: 16,
  UUID: 16,
  INTERVAL: 16,
};

/**
 * The bytes that the kernel uses per value of a type without parameters, by its name; undefined for
 * variable-size types.
 */
export const fixedWidth = (id: string): number | undefined =>
  Object.hasOwn(FIXED_BYTES, id) ? FIXED_BYTES[id] : undefined;

/** The bytes that the kernel uses for a decimal with this many digits. */
export const decimalWidth = (digits: number): number =>
  digits <= 4 ? 2 : digits <= 9 ? 4 : digits <= 18 ? 8 : 16;
