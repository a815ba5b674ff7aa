const TYPES: Readonly<Record<string, string>> = {
  boolean: 'Bool',
  smallint: 'Int16',
  integer: 'Int32',
  bigint: 'Int64',
  real: 'Float32',
  'double precision': 'Float64',
  // The plain ones begin at 1970.
  date: 'Date32',
  timestamp: 'DateTime64(6)',
};

/** The type of a column of standard SQL. */
export function clickHouseType(type: string, nullable: boolean): string {
  const decimal = /^(?:numeric|decimal)\((\d+), *(\d+)\)$/.exec(type);
  const named = decimal === null ? (TYPES[type] ?? 'String') : `Decimal(${decimal[1]}, ${decimal[2]})`;
  return nullable ? `Nullable(${named})` : named;
}

/**
 * A number with a point is a decimal in standard SQL, and a double to ClickHouse, for which 0.07 then is not between
 * 0.06 - 0.01 and 0.06 + 0.01. What stands in quotes stays.
 */
export const clickHouseQuery = (sql: string): string =>
  sql.replace(
    /'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*|(?<![\w.])(\d+)\.(\d+)(?![\w.])/g,
    (found, whole?: string, fraction?: string) =>
      whole === undefined ? found : `toDecimal64('${whole}.${fraction}', ${fraction!.length})`,
  );
