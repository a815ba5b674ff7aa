import { afterAll, beforeAll, expect, test } from 'vitest';
import { Dialect } from './dialect.ts';

let dialect: Dialect;
beforeAll(async () => {
  dialect = await Dialect.open();
});
afterAll(() => dialect[Symbol.asyncDispose]());

const T =
  "FROM (SELECT 1 AS a, 2.5::numeric(10, 2) AS n, ARRAY['x'] AS tags, timestamp '2024-01-02' AS ts, '{}'::jsonb AS j) t";

/** The types of the parameters and of the columns, as PostgreSQL describes them in the types of the dialect. */
const DESCRIBED: readonly (readonly [sql: string, parameters: string, columns: string])[] = [
  [
    'SELECT abs($1), ceil($2), floor($3), sign($4)',
    'double double double double',
    'double double double double',
  ],
  ['SELECT round($1), trunc($2)', 'double double', 'double double'],
  [
    'SELECT round($1, 2), trunc($2, $3)',
    'Decimal(38, 9) Decimal(38, 9) int',
    'Decimal(38, 2) Decimal(38, 1)',
  ],
  [`SELECT round(n, $1) ${T}`, 'int', 'Decimal(10, 1)'],
  [
    `SELECT ts + interval '1 day' * $1, ts - $2 * interval '1 hour' ${T}`,
    'double double',
    'timestamp timestamp',
  ],
  ['SELECT * FROM generate_series(1, $1)', 'int', 'long'],
  ['SELECT * FROM generate_series($1::int, $2)', 'int int', 'long'],
  [
    'SELECT * FROM generate_series($1::timestamp, $2::timestamp, $3::interval)',
    'timestamp timestamp text',
    'timestamp',
  ],
  ["SELECT * FROM generate_series($1::date, $2::date, '1 day')", 'date date', 'timestamp'],
  ['SELECT mod($1, 2), make_date($2, $3, $4)', 'int int int int', 'int date'],
  [`SELECT tags[$1], array_append(tags, $2) ${T}`, 'long text', 'text array(text null)'],
  ['SELECT array_append(ARRAY[1, 2], $1)', 'int', 'array(int null)'],
  [`SELECT j #>> $1, j #>> $2 ${T}`, 'array(text null) array(text null)', 'text text'],
  ["SELECT jsonb_set('{}'::jsonb, $1, $2)", 'array(text null) json', 'json'],
  [`SELECT date_trunc($1, ts), date_part($2, ts) ${T}`, 'text text', 'timestamp long'],
  [`SELECT percentile_cont($1) WITHIN GROUP (ORDER BY a) ${T}`, 'double', 'double'],
  ["SELECT encode($1, 'hex')", 'bytea', 'text'],
  [`SELECT a ${T} ORDER BY $1`, 'text', 'int'],
  ["SELECT left('abc', $1), repeat('a', $2), lpad('a', $3, $4)", 'int int int text', 'text text text'],
  [`SELECT to_char(n, $1), to_char(ts, $2) ${T}`, 'text text', 'text text'],
  [`SELECT width_bucket(a, $1, $2, $3) ${T}`, 'double double int', 'int'],
  ["SELECT '{}'::jsonb @> $1, $2 <@ '{}'::jsonb", 'json json', 'boolean boolean'],
  [`SELECT jsonb_path_query(j, $1), time '10:00' + $2 ${T}`, 'text text', 'json text'],
];

test.for(DESCRIBED)('%s', async ([sql, parameters, columns]) => {
  const { parameter_types, result_columns } = await dialect.describe(sql);
  expect(Object.values(parameter_types).join(' ')).toBe(parameters);
  expect(result_columns.map(({ type }) => type.replace(/ null$/, '')).join(' ')).toBe(columns);
});

test('a parameter orders nothing', async () => {
  const sql = 'SELECT a FROM (VALUES (2), (1)) t(a) ORDER BY $1, a';
  expect(await dialect.rows(sql, [{ name: '$1', value: 'a' }])).toEqual([[1], [2]]);
});
