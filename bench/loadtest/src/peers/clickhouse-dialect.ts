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
 * A query of standard SQL in the ways that ClickHouse may understand it, the most faithful first. A number with a point
 * is a decimal in standard SQL, and a double to ClickHouse, for which 0.07 then is not between 0.06 - 0.01 and
 * 0.06 + 0.01; but it has no conditionals over decimals of several scales. And a name that a column and an expression of
 * SELECT have in common is the column's in most places of standard SQL, and the expression's in ORDER BY.
 */
export function clickHouseWays(sql: string): string[] {
  const aliases = 'SETTINGS prefer_column_name_to_alias = 0';
  const decimals = withDecimals(sql);
  return [decimals, `${decimals} ${aliases}`, sql, `${sql} ${aliases}`];
}

/** What stands in quotes or comments stays. */
const withDecimals = (sql: string): string =>
  sql.replace(
    /'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*|(?<![\w.])(\d+)\.(\d+)(?![\w.])/g,
    (found, whole?: string, fraction?: string) =>
      whole === undefined ? found : `toDecimal64('${whole}.${fraction}', ${fraction!.length})`,
  );
