import { afterAll, beforeAll, expect, test } from 'vitest';
import { Dialect } from './dialect.ts';

let dialect: Dialect;
beforeAll(async () => {
  dialect = await Dialect.open();
});
afterAll(() => dialect[Symbol.asyncDispose]());

/** The values that PostgreSQL 15 returns. */
const VALUES: readonly (readonly [sql: string, value: unknown])[] = [
  ["substr('abcdef', NULL)", null],
  ["substr('abcdef', 2, NULL)", null],
  ["substring('abcdef' FROM x FOR 2) FROM (VALUES (NULL::int)) t(x)", null],
  ["substring('\\x616263'::bytea, NULL)", null],
  ["substring('abcdef', -2, 8)", 'abcde'],
  ["array_to_string(['a', 'b'], NULL)", null],
  ["array_to_string(['a', NULL], NULL, 'x')", null],
  ["array_to_string([NULL::text], ',')", ''],
  ["lpad('abc', NULL, '')", null],
  ["rpad('abc', NULL, '')", null],
  ["typeof('ab' || NULL::text)", 'text'],
  ["typeof(u || upper(NULL::text)) FROM (VALUES ('x')) t(u)", 'text'],
  ["typeof(u || NULL || NULL || NULL) FROM (VALUES ('x')) t(u)", 'text'],
  ["typeof(u || NULL) FROM (VALUES ('x'::bytea)) t(u)", 'bytea'],
  ['typeof(u || NULL::int[]) FROM (VALUES ([1])) t(u)', 'array(integer)'],
  ['typeof(u + NULL::numeric(9, 2)) FROM (VALUES (1.5::numeric(9, 2))) t(u)', 'numeric(9, 2)'],
  ['typeof(abs(NULL::numeric(9, 2)))', 'numeric(9, 2)'],
  ["substr(NULL::text || u, 1) FROM (VALUES ('x')) t(u)", null],
  ["array_to_string([]::text[], ',')", ''],
  ["regexp_extract('abc', '(b)', 'i', NULL)", null],
  ["regexp_split_to_array('a,b', NULL)", null],
  ["string_agg(x, NULL) FROM (VALUES ('a'), ('b')) t(x)", 'ab'],
  ["to_char(TIMESTAMP '2020-01-02', NULL)", null],
  ["to_date('2020-01-02', NULL)", null],
  ["to_timestamp('2020-01-02', NULL)", null],
  ['array_sort(x -> x % 2, NULL::int[])', null],
  ['current_schemas(NULL)', null],
  // Division by zero.
  ['x / 0 FROM (VALUES (NULL::int)) t(x)', null],
  ['x % 0 FROM (VALUES (NULL::int)) t(x)', null],
  ['mod(x, 0) FROM (VALUES (NULL::int)) t(x)', null],
  ['x / y FROM (VALUES (NULL::double, 0)) t(x, y)', null],
  ['(SELECT NULL::int) / (SELECT 0)', null],
  ['x / x / x / x / x / x / x / x / x / x FROM (VALUES (1)) t(x)', 1],
  // Comparisons of rows and with the elements of arrays.
  ['(1, NULL) = (1, 2)', null],
  ['(1, NULL) = (2, 2)', false],
  ['(1, NULL) <> (2, 2)', true],
  ['(1, NULL) < (2, 2)', true],
  ['(2, NULL) < (1, 2)', false],
  ['(1, 2) >= (1, NULL)', null],
  ['(1, 2) <= (1, 2)', true],
  ['(a, 1) NOT IN ((1, 1), (2, 2)) FROM (VALUES (NULL::int)) t(a)', null],
  ['(a, 3) NOT IN ((1, 1), (2, 2)) FROM (VALUES (NULL::int)) t(a)', true],
  ['(NULL, NULL) IS NULL', true],
  ['(NULL, 1) IS NULL', false],
  ['(NULL, 1) IS NOT NULL', false],
  ['1 = ANY (NULL::int[])', null],
  ['1 = ALL (NULL::int[])', null],
  ["1 = ANY ('{}'::int[])", false],
  // A NULL is no element of an array for PostgreSQL.
  ['[1, NULL] @> [NULL]::int[]', false],
  ['[NULL]::int[] <@ [1, NULL]', false],
  ['[1, NULL] @> [1]', true],
  ['[]::int[] <@ [1]', true],
  ['NULL::int[] @> [NULL]::int[]', null],
  ['[NULL]::int[] @> NULL::int[]', null],
  ['every(x) FROM (VALUES (true), (NULL)) t(x)', true],
  ['to_hex(-1)', 'ffffffff'],
  ['to_hex(-1::bigint)', 'ffffffffffffffff'],
  ['cardinality([1, NULL])', 2],
  ['1 = ANY (x) FROM (VALUES ([2, NULL])) t(x)', null],
  ['NULL = ANY (x) FROM (VALUES ([2])) t(x)', null],
  ['1 = ANY (x) FROM (VALUES ([2, 1, NULL])) t(x)', true],
  ['1 = ANY (x) FROM (VALUES ([2])) t(x)', false],
];

test.for(VALUES)('%s', async ([sql, value]) => {
  expect(await dialect.rows(`SELECT ${sql}`)).toEqual([[value]]);
});

test.for(["X'1F'", "b'101'", "x = X'1F' FROM (VALUES ('x1F')) t(x)"])(
  'the bit string in %s is no text',
  async (sql) => {
    await expect(dialect.rows(`SELECT ${sql}`)).rejects.toMatchObject({
      name: 'NOT_SUPPORTED',
      location: { line: 1 },
    });
  },
);
