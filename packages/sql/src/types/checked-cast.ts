/**
 * A cast of a text after the macro that refuses what PostgreSQL does not read. A text that the macro does not change is cast as it
 * is, because the kernel's error then names the column.
 */
export const checkedCast = (macro: string, text: string, type: string): string =>
  `CASE WHEN ${macro}(${text}) = ${text} THEN CAST(${text} AS ${type}) ELSE CAST(${macro}(${text}) AS ${type}) END`;

/**
 * The macros that refuse texts which the kernel reads as a value of a type and PostgreSQL does not: the kernel rounds `1.75` to an
 * integer, ignores what follows a date, and reads `1e400` as infinity.
 */
export const TEXT_READERS: Readonly<Record<string, string>> = {
  SMALLINT: 'tsr_integer_text',
  INTEGER: 'tsr_integer_text',
  BIGINT: 'tsr_integer_text',
  BOOLEAN: 'tsr_boolean_text',
  DATE: 'tsr_date_text',
  TIME: 'tsr_time_of_day_text',
  TIMESTAMP: 'tsr_timestamp_text',
  'TIMESTAMP WITH TIME ZONE': 'tsr_instant_text',
  BLOB: 'tsr_blob_text',
  INTERVAL: 'tsr_interval_reading',
  FLOAT: 'tsr_real_text',
  DOUBLE: 'tsr_double_text',
};

/** The cast of a floating-point number to a DECIMAL type with its width and scale; see `exactDecimal`. */
export function decimalOfFloat(value: string, type: string): string {
  const scale = Number(/,\s*(\d+)\)$/.exec(type)![1]);
  const part = scale < 18 ? `DECIMAL(18, ${scale})` : type;
  const sum = `CAST(tsr_decimal_whole(${value}) AS ${type}) + CAST(tsr_decimal_fraction(${value}, ${scale}) AS ${part})`;
  return `CASE WHEN tsr_is_exact(${value}, ${scale}) THEN CAST(${value} AS ${type})
    WHEN tsr_is_sum(${value}, ${scale}) THEN CAST(${sum} AS ${type}) ELSE CAST(tsr_decimal_text(${value}) AS ${type}) END`;
}
