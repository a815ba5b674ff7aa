/**
 * Ten mixed columns over a number `i`, valid in our dialect and in plain DuckDB:
 * int, two bigints, double, two decimals, date, timestamp, short text, boolean.
 */
const GENERATED_COLUMNS = `
  CAST(i % 100000 AS INTEGER) AS customer,
  i AS id,
  i * 2654435761 % 1000000007 AS reference,
  CAST(i * 7919 % 1000003 AS DOUBLE) * 0.001 AS score,
  CAST(i * 104729 % 1000003 AS DECIMAL(12, 2)) AS price,
  CAST(i % 20 AS DECIMAL(4, 2)) AS discount,
  DATE '2020-01-01' + CAST(i % 1461 AS INTEGER) AS ordered,
  TIMESTAMP '2020-01-01 00:00:00' + INTERVAL '1' SECOND * (i * 31 % 126230400) AS shipped,
  'city ' || CAST(i * 613 % 997 AS VARCHAR) AS city,
  i % 3 = 0 AS paid`;

/** All numbers have the same length, so that text grows in proportion to the rows. */
const BEFORE_FIRST = 1_000_000_000;

/** A query of `rows` generated rows. */
export const generatedQuery = (rows: number): string =>
  `SELECT ${GENERATED_COLUMNS} FROM generate_series(${BEFORE_FIRST + 1}, ${BEFORE_FIRST + rows}) AS series(i)`;

const COMPUTED_ROWS = 100_000;

/**
 * A query of `rows` rows that is very cheap to compute, so that the output is what is measured: 100,000
 * generated rows repeated with other ids. Above 100,000, `rows` must be a multiple of it.
 */
export function repeatedQuery(rows: number): string {
  const computed = Math.min(rows, COMPUTED_ROWS);
  return `SELECT computed.* REPLACE (id + n AS id) FROM (${generatedQuery(computed)}) AS computed CROSS JOIN generate_series(1, ${Math.ceil(rows / computed)}) AS copies(n)`;
}

/** The nearest number of rows that {@link repeatedQuery} can generate. */
export const repeatableRows = (rows: number): number =>
  rows <= COMPUTED_ROWS ? Math.ceil(rows) : Math.round(rows / COMPUTED_ROWS) * COMPUTED_ROWS;
