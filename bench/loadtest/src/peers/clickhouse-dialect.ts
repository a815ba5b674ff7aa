const TYPES: Readonly<Record<string, string>> = {
  boolean: 'Bool',
  smallint: 'Int16',
  integer: 'Int32',
  bigint: 'Int64',
  real: 'Float32',
  'double precision': 'Float64',
  // The plain date types begin at 1970.
  date: 'Date32',
  timestamp: 'DateTime64(6)',
};

/** The ClickHouse type for a column type of standard SQL. */
export function clickHouseType(type: string, nullable: boolean): string {
  const decimal = /^(?:numeric|decimal)\((\d+), *(\d+)\)$/.exec(type);
  const named = decimal === null ? (TYPES[type] ?? 'String') : `Decimal(${decimal[1]}, ${decimal[2]})`;
  return nullable ? `Nullable(${named})` : named;
}

/**
 * The forms of a standard SQL query that ClickHouse may accept, the most faithful first. A number with a
 * point is a decimal in standard SQL but a double in ClickHouse, for which 0.07 is then not between 0.06 -
 * 0.01 and 0.06 + 0.01; but ClickHouse lacks conditionals over decimals of several scales. A name that a
 * column and an expression of SELECT share denotes the column in most places of standard SQL, but the
 * expression in ORDER BY.
 */
export function clickHouseWays(sql: string): string[] {
  const aliases = 'SETTINGS prefer_column_name_to_alias = 0';
  const decimals = withDecimals(sql);
  return [decimals, `${decimals} ${aliases}`, sql, `${sql} ${aliases}`];
}

/** Writes numbers as decimals; quoted text and comments are unchanged. */
const withDecimals = (sql: string): string =>
  sql.replace(
    /'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*|(?<![\w.])(\d+)\.(\d+)(?![\w.])/g,
    (found, whole?: string, fraction?: string) =>
      whole === undefined ? found : `toDecimal64('${whole}.${fraction}', ${fraction!.length})`,
  );
