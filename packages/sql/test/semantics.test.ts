import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Dialect } from './dialect.ts';

let dialect: Dialect;
beforeAll(async () => {
  dialect = await Dialect.open();
});
afterAll(() => dialect[Symbol.asyncDispose]());

const VALUES: readonly (readonly [sql: string, value: unknown])[] = [
  ['7 / 2', 3],
  ['1e3', 1000],
  ['typeof(1e3)', 'double precision'],
  ['typeof(1.5e0 + 1)', 'double precision'],
  ['1234567.8901234567e-3', 1234.5678901234567],
  ['-2e20', -2e20],
  ['1e300 * 10', 1e301],
  ["'\\x6162'::bytea", '\\x6162'],
  ["'\\x6162'::bytea = 'ab'::bytea", true],
  ['-7 / 2', -3],
  ['7 / 2.0', 3.5],
  ['7 % 3', 1],
  ['1 / (2 - 1)', 1],
  ['4 / (SELECT 2)', 2],
  ["(SELECT * FROM ifnull('a', 'b'))", 'a'],
  ['(SELECT x.v FROM if(true, 1, 2) AS x(v))', 1],
  ["'abc' ~ 'b'", true],
  ["'abc' ~ '^b'", false],
  ["'abc' !~ 'b'", false],
  ["'ABC' ~* 'b'", true],
  ["'ABC' !~* 'b'", false],
  ["NULL::text ~ 'b'", null],
  ["'abc' SIMILAR TO 'b'", false],
  ["'a' || NULL", null],
  ["'a' || 1", 'a1'],
  ["'B' < 'a'", true],
  ["'é' > 'z'", true],
  ['([10, 20, 30])[1]', 10],
  ['([10, 20, 30])[2:3]', [20, 30]],
  ['[1, 2]::INTEGER[3]', [1, 2]],
  ["'{1,2}'::INT[3]", [1, 2]],
  ["'[1, 2]'::INT ARRAY[1]", [1, 2]],
  ['[[1, 2]]::INT[3][1]', [[1, 2]]],
  ['array_length(TRY_CAST([1, 2] AS INT[5]))', '2'],
  ['({a: [1, 2]}::STRUCT(a INT[3])).a', [1, 2]],
  ["'12'::LONG", '12'],
  ["'x'::STRING", 'x'],
  ["'ab'::BYTEA", '\\x6162'],
  ["'2.5'::DOUBLE PRECISION", 2.5],
  ["'2020-01-01 12:00:00+02'::TIMESTAMPTZ", '2020-01-01 10:00:00+00'],
  ["'2020-01-01 12:00:00.5 +02:00'::TIMESTAMPTZ", '2020-01-01 10:00:00.5+00'],
  ["TIMESTAMPTZ '2020-01-01 12:00:00 -08'", '2020-01-01 20:00:00+00'],
  ["'2020-01-01 12:00:00 Z'::TIMESTAMPTZ", '2020-01-01 12:00:00+00'],
  ["'2020-01-01 12:00:00 Asia/Tokyo'::TIMESTAMPTZ", '2020-01-01 03:00:00+00'],
  ["'2020-01-01 12:00-02'::TIMESTAMPTZ", '2020-01-01 14:00:00+00'],
  ["'20200102'::DATE", '2020-01-02'],
  ["'20200102 12:30'::TIMESTAMP", '2020-01-02 12:30:00'],
  ["d = '20200102' FROM (SELECT DATE '2020-01-02' d) x", true],
  ["s = '20200102' FROM (SELECT '20200102' s) x", true],
  ["s::TEXT::TIMESTAMPTZ FROM (SELECT '2020-01-01 12:00:00 +02:00' s) x", '2020-01-01 10:00:00+00'],
  ["s::TEXT::TIMESTAMPTZ FROM (SELECT '2020-01-01 12:00:00 Asia/Tokyo' s) x", '2020-01-01 03:00:00+00'],
  ["s::TEXT::TIMESTAMP FROM (SELECT '20200102 12:30' s) x", '2020-01-02 12:30:00'],
  ["s::TEXT::DATE FROM (SELECT '20200102' s) x", '2020-01-02'],
  ["s::TEXT::DATE FROM (SELECT 'infinity' s) x", 'infinity'],
  ['array_agg(x ORDER BY x) FROM (SELECT generate_series(1, 3) AS x) s', [1, 2, 3]],
  ['sum(generate_series) FROM (SELECT generate_series(1, 3)::BIGINT) s', '6'],
  ['array_agg(x ORDER BY x) FROM (SELECT generate_series(1, 3) * 2 AS x) s', [2, 4, 6]],
  ['array_length(generate_series(1, 3))', '3'],
  ["max(d) FROM (SELECT DATE '2024-01-01' + generate_series(0, 2) AS d) s", '2024-01-03'],
  ["max(DATE '2024-01-01' + g) FROM generate_series(0, 2) AS g", '2024-01-03'],
  ['min(current_date - s.g) = current_date - 2 FROM generate_series(0, 2) AS s(g)', true],
  ["max(d)::DATE FROM generate_series('2024-01-01'::DATE, '2024-01-03', '1 day') AS d", '2024-01-03'],
  ["max(d) FROM generate_series('2024-01-01', '2024-01-02', INTERVAL '6 hours') AS d", '2024-01-02 00:00:00'],
  [
    "max(d) FROM generate_series('2024-01-01'::TIMESTAMPTZ, '2024-01-03', '1 day') AS d",
    '2024-01-03 00:00:00+00',
  ],
  ["initcap('hello wORLD-x')", 'Hello World-X'],
  ["date_bin('15 minutes', TIMESTAMP '2024-01-01 10:07:00', TIMESTAMP '2001-01-01')", '2024-01-01 10:00:00'],
  ["TIMESTAMP '2024-01-01' + make_interval(days => 3, hours => 2)", '2024-01-04 02:00:00'],
  ["TIMESTAMP '2024-01-01' + make_interval(0, 1, 1)", '2024-02-08 00:00:00'],
  ["(DATE '2024-01-01', DATE '2024-02-01') OVERLAPS (DATE '2024-01-15', DATE '2024-03-01')", true],
  ["(DATE '2024-01-01', DATE '2024-02-01') OVERLAPS (DATE '2024-02-01', DATE '2024-03-01')", false],
  ["(DATE '2024-03-01', DATE '2024-01-01') OVERLAPS (DATE '2024-02-01', NULL)", true],
  ["(DATE '2024-01-01', NULL) OVERLAPS (DATE '2024-01-01', DATE '2024-02-01')", null],
  ["(DATE '2024-01-01', DATE '2024-02-01') OVERLAPS (DATE '2024-03-01', NULL)", null],
  ["(NULL::DATE, NULL::DATE) OVERLAPS (DATE '2024-01-01', DATE '2024-02-01')", null],
  ["substring('foo123' FROM '[0-9]+')", '123'],
  ["substring('foo123' FROM '([a-z])[0-9]')", 'o'],
  ["substring('foo' FROM '[0-9]')", null],
  ["substring('foo123' FROM 2 FOR 3)", 'oo1'],
  ["regexp_match('foo123', '([a-z]+)([0-9]+)')", ['foo', '123']],
  ["regexp_match('foo', '[0-9]')", null],
  ["format('%s is %L, %I, %2$s 100%%', 'x', 'y''z', 'A b')", `x is 'y''z', "A b", y'z 100%`],
  ['to_hex(255)', 'ff'],
  ["'now'::TIMESTAMPTZ = now()", true],
  ["'today'::DATE = current_date", true],
  ["TIMESTAMP 'tomorrow' - TIMESTAMP 'yesterday' = INTERVAL '2 days'", true],
  ["'today'::TEXT", 'today'],
  ["'2020-01-01 12:00:00 +00:00'::TEXT", '2020-01-01 12:00:00 +00:00'],
  // Offsets count to the west, as in PostgreSQL.
  ["TIMESTAMPTZ '2020-01-01 00:00:00+00' AT TIME ZONE '+02:00'", '2019-12-31 22:00:00'],
  ["TIMESTAMPTZ '2020-01-01 00:00:00+00' AT TIME ZONE '+00:00'", '2020-01-01 00:00:00'],
  ["TIMESTAMPTZ '2020-01-01 00:00:00+00' AT TIME ZONE 'UTC+2'", '2019-12-31 22:00:00'],
  ["timezone('-5:00', TIMESTAMPTZ '2020-01-01 00:00:00+00')", '2020-01-01 05:00:00'],
  ["TIMESTAMP '2020-01-01 00:00:00' AT TIME ZONE '+02'", '2020-01-01 02:00:00+00'],
  ["TIMESTAMPTZ '2020-01-01 00:00:00+00' AT TIME ZONE 'GMT-3'", '2020-01-01 03:00:00'],
  ["TIMESTAMPTZ '2020-01-01 00:00:00+00' AT TIME ZONE 'Asia/Tokyo'", '2020-01-01 09:00:00'],
  ["t < '2020-01-01 12:00:00 +02' FROM (SELECT TIMESTAMPTZ '2020-01-01 11:00:00+00' t) x", false],
  [
    "t IN ('2020-01-01', '2020-01-01 12:00:00 +02') FROM (SELECT TIMESTAMPTZ '2020-01-01 10:00:00+00' t) x",
    true,
  ],
  ["t = '2020-01-01 12:00:00 +00:00' FROM (SELECT '2020-01-01 12:00:00 +00:00' t) x", true],
  ['1::NUMERIC', '1.000000000'],
  ['CAST(1 AS DECIMAL)', '1.000000000'],
  ['1::NUMERIC(10, 2)', '1.00'],
  ['[1, 2]::ARRAY(LONG NULL)', ['1', '2']],
  ['[[1]]::ARRAY(ARRAY(INT NOT NULL))', [[1]]],
  ["{'a': 1}::STRUCT(a NUMERIC)", { a: '1.000000000' }],
  ['99999999999999999999', '99999999999999999999'],
  ['current_database()', 'tessera'],
  ['ARRAY(SELECT 1)', [1]],
  ['(~1) + 1', -1],
  ['~1 + 1', -3],
  ['(@ -5) + 1', 6],
  ['(-2) ^ 2', 4],
  ['(\'abc\' COLLATE "C")[2]', 'b'],
  ["1 / '2'", 0],
  ["5 % '3'", 2],
  ["2.5::double / '2'", 1.25],
  ["x / '2' FROM (VALUES (7)) v(x)", 3],
  ['-9223372036854775808::long', '-9223372036854775808'],
  ['-2147483648::int', -2147483648],
  [String.raw`E'\xe3\x83\x84'`, 'ツ'],
  [String.raw`E'\u30c4 \U0001F600 \ud83d\ude00 \343\203\204'`, 'ツ 😀 😀 ツ'],
  [String.raw`E'a\102b\x41''\q\n'`, "aBbA'q\n"],
  [String.raw`encode(E'\xff\x00'::bytea, 'hex')`, 'ff00'],
  [String.raw`encode(CAST(E'\377a' AS BYTEA), 'hex')`, 'ff61'],
  [String.raw`encode(E'\\x61'::bytea || E'\x62' :: bytea, 'hex')`, '6162'],
  ['[1, 2, 3]::INTEGER[3]', [1, 2, 3]],
  ['array_value(1, 2, 3)', [1, 2, 3]],
  ["'2020-01-01 00:00:00.123456'::timestamp(3)", '2020-01-01 00:00:00.123'],
  ["'2020-01-01 00:00:00.125+00'::timestamptz(2)", '2020-01-01 00:00:00.13+00'],
  ["'2020-01-01 00:00:00.123456+00'::timestamp(6) with time zone", '2020-01-01 00:00:00.123456+00'],
  ["to_json('a'::bytea)::text", String.raw`"\\x61"`],
  ["regexp_replace('aBcb', 'b', 'x', f) FROM (VALUES ('gi')) v(f)", 'axcx'],
  ["d::text || '/' || concat('c', d) FROM (VALUES (1.0), (2.5)) v(d) WHERE d < 2", '1/c1'],
  ["'x' || 1.0 || '/' || 1.0::float8", 'x1.0/1'],
  ['(a / b / 2)::text FROM (VALUES (4.0, 1.0)) v(a, b)', '2'],
  ["array_to_string([1e15, 'NaN', NULL, -0.5], '|', '-')", '1e+15|NaN|-|-0.5'],
  ["to_json(1.0::float8)::text || to_json('-inf'::real)::text", '1"-Infinity"'],
  ['array_transform(d -> d::text, [1.0, 2.5])', ['1', '2.5']],
  ['unnest([1])::text', '1'],
  ["s::int + right(s, 2)::int FROM (VALUES (' 12')) v(s)", 24],
  ["TRY_CAST('1e3' AS INT)", null],
  ["TRY_CAST(s AS BIGINT) FROM (VALUES ('5.0')) v(s)", null],
  ['d::int FROM (VALUES (2.7)) v(d)', 3],
  ['([1, 2, 3])[-1]', null],
  ['a[i - 3] FROM (VALUES ([1, 2, 3], 2)) v(a, i)', null],
  ['a[i] FROM (VALUES ([1, 2, 3], 2)) v(a, i)', 2],
  ['([1, 2, 3])[-2:2]', [1, 2]],
  ['([1, 2, 3])[1:-2]', []],
  ["('abc')[-1]", 'c'],
  ["m[k] FROM (SELECT MAP {'a': 5} AS m, 'a' AS k) s", 5],
];

describe('values', () => {
  test.for(VALUES)('%s', async ([sql, value]) => {
    expect(await dialect.rows(`SELECT ${sql}`)).toEqual([[value]]);
  });

  test('words for the time are never columns, unless quoted', async () => {
    const words = ['current_date', 'current_time', 'CURRENT_TIMESTAMP', 'localtime', 'localtimestamp'];
    const casts = words.map((word) => `${word}::text = (${word})::text AS ${word}`);
    expect(await dialect.rows(`SELECT ${casts.join(', ')}`)).toEqual([words.map(() => true)]);
    expect(await dialect.rows('SELECT "current_date"::int FROM (SELECT 7 AS "current_date")')).toEqual([[7]]);
  });

  test('NULLs sort as the largest', async () => {
    const from = 'FROM (VALUES (1), (NULL), (2)) v(x)';
    expect(await dialect.rows(`SELECT x ${from} ORDER BY x`)).toEqual([[1], [2], [null]]);
    expect(await dialect.rows(`SELECT x ${from} ORDER BY x DESC`)).toEqual([[null], [2], [1]]);
    expect(await dialect.rows(`SELECT x ${from} ORDER BY x DESC NULLS LAST`)).toEqual([[2], [1], [null]]);
  });

  test('a number with a point is a double wherever it stands', async () => {
    const places = [
      ...['1.5', '-1.5', 'l * 1.5', 'n * 1.5', 'l / 2.0', 'CASE WHEN l > 1 THEN 1.5 END', 'coalesce(l, 1.5)'],
      ...['greatest(l, 1.5)', '(SELECT 1.5)', '([1.5])[1]', 'sum(1.5)', 'round(2.567, 2)', 'd'],
    ];
    const types = places.map((place) => `typeof(${place})`).join(', ');
    const from = 'FROM (VALUES (3::bigint, 2::numeric(5, 2), 1.5)) v(l, n, d) GROUP BY ALL';
    expect((await dialect.rows(`SELECT ${types} ${from}`))[0]).toEqual(places.map(() => 'double precision'));
    expect(await dialect.columns('SELECT 1 AS x UNION ALL SELECT 1.5')).toEqual(['x: double']);
    expect(await dialect.columns('SELECT 0.12345678901234567890')).toEqual(['?column?: double']);
    expect(await dialect.rows('SELECT x * 0.1 FROM (VALUES (3)) v(x)')).toEqual([[0.30000000000000004]]);
  });

  test('a number with a point keeps its digits under a cast and where it is compared', async () => {
    const kept = '12345678901234567890.123456789::numeric(38, 9), -0.1::numeric(20, 19), 1.50::text';
    expect(await dialect.rows(`SELECT ${kept}`)).toEqual([
      ['12345678901234567890.123456789', '-0.1000000000000000000', '1.50'],
    ]);
    const compared =
      'x <= 0.06 + 0.01, x BETWEEN 0.07 AND 0.08, x IN (0.07), NOT x > 0.06 + 0.01, 0.1 + 0.2 = 0.3';
    expect(await dialect.rows(`SELECT ${compared} FROM (VALUES (0.07::numeric(5, 2))) v(x)`)).toEqual([
      [true, true, true, true, true],
    ]);
  });
});

const COLUMNS: readonly (readonly [sql: string, columns: readonly string[]])[] = [
  ['SELECT 1', ['?column?: int']],
  ['SELECT 30000000000', ['?column?: long']],
  ['SELECT 123.4', ['?column?: double']],
  ['SELECT -1.5 + 2', ['?column?: double']],
  ['SELECT 1.5::NUMERIC(3, 1)', ['numeric: Decimal(3, 1)']],
  ['SELECT 12345678901234567890.123::NUMERIC(38, 3)', ['numeric: Decimal(38, 3)']],
  ['SELECT 1 AS decimal, CAST(2 AS decimal) AS numeric', ['decimal: int', 'numeric: Decimal(38, 9)']],
  ["SELECT 'a', true, NULL::text", ['?column?: text', '?column?: boolean', 'text: text null']],
  [
    "SELECT upper(x), x::int, count(*) FROM (VALUES ('1')) v(x) GROUP BY x",
    ['upper: text null', 'x: int null', 'count: long'],
  ],
  [
    "SELECT CASE WHEN true THEN 1 END, coalesce(1, 2), [1], {'a': 1}",
    ['case: int null', 'coalesce: int', 'array: array(int null) null', 'row: struct(a int null) null'],
  ],
  [
    'SELECT EXISTS (SELECT 1), (SELECT 5 AS five), ARRAY(SELECT 1)',
    ['exists: boolean null', 'five: int null', 'array: array(int null) null'],
  ],
  ['SELECT Foo, "Bar" FROM (SELECT 1 AS FOO, 2 AS "Bar") s', ['foo: int', 'Bar: int']],
  ["SELECT DATE '2020-01-01', now() IS NULL", ['date: date', '?column?: boolean']],
  [
    'SELECT sum(i), sum(l), sum(n), sum(d), avg(i) FROM (VALUES (1, 2::LONG, 3::NUMERIC(5, 2), 4::DOUBLE)) v(i, l, n, d)',
    [
      'sum: long null',
      'sum: Decimal(38, 0) null',
      'sum: Decimal(38, 2) null',
      'sum: double null',
      'avg: double null',
    ],
  ],
  [
    'SELECT sum(x) + 1, sum(DISTINCT x) FILTER (WHERE x > 0), sum(x) OVER () FROM (VALUES (1)) v(x) GROUP BY x',
    ['?column?: long null', 'sum: long null', 'sum: long null'],
  ],
  [
    'SELECT 1::UTINYINT, 1::UINTEGER, 1::UBIGINT, 1::HUGEINT, 1::SMALLINT',
    ['utinyint: int', 'oid: long', 'ubigint: Decimal(20, 0)', 'hugeint: Decimal(38, 0)', 'int2: int'],
  ],
  [
    "SELECT INTERVAL '1 day', '12:00'::TIME, MAP {'k': 1}",
    ['interval: text', 'time: text', 'map: array(struct(key text null, value int null) null) null'],
  ],
  ['SELECT x FROM (SELECT 1 AS x UNION ALL SELECT 2) s', ['x: int']],
  ['SELECT 1 AS a UNION ALL SELECT 2', ['a: int']],
  ['SELECT 1 AS a UNION ALL SELECT NULL', ['a: int null']],
];

test.for(COLUMNS)('columns of %s', async ([sql, columns]) => {
  expect(await dialect.columns(sql)).toEqual(columns);
});

const FAILURES: readonly (readonly [sql: string, error: string])[] = [
  ['SELECT 1 / 0', 'DIVISION_BY_ZERO'],
  ['SELECT 1 % 0', 'DIVISION_BY_ZERO'],
  ['SELECT 1.5::DOUBLE / 0', 'DIVISION_BY_ZERO'],
  ['SELECT 1 / x FROM (VALUES (1), (0)) v(x)', 'DIVISION_BY_ZERO'],
  ['SELECT 1 / (SELECT 0)', 'DIVISION_BY_ZERO'],
  ["SELECT 'x'::INT", 'CAST_ERROR'],
  ['SELECT 2147483647 + 1 + x FROM (VALUES (2147483647)) v(x)', 'OUT_OF_RANGE'],
  ['SELECT 9223372036854775807 + 1', 'OUT_OF_RANGE'],
  ['SELECT 1e400', 'OUT_OF_RANGE'],
  [String.raw`SELECT E'\xff'`, 'INVALID_ENCODING'],
  [String.raw`SELECT E'a\000b'`, 'INVALID_ENCODING'],
  [String.raw`SELECT E'\ud83d'`, 'SYNTAX_ERROR'],
  ["SELECT '-1e400'::double", 'OUT_OF_RANGE'],
  ["SELECT '1e39'::real", 'OUT_OF_RANGE'],
  ["SELECT 1 / '0'", 'DIVISION_BY_ZERO'],
  ["SELECT '1e3'::bigint", 'CAST_ERROR'],
  ["SELECT s::int FROM (VALUES ('5.0')) v(s)", 'CAST_ERROR'],
  ["SELECT (s || '.0')::int FROM (VALUES ('5')) v(s)", 'CAST_ERROR'],
  ["SELECT '0x1F'::int", 'CAST_ERROR'],
  ['SELECT sum(x) OVER (ORDER BY x ROWS -1 PRECEDING) FROM (VALUES (1)) v(x)', 'INVALID_FRAME_OFFSET'],
  ['SELECT nth_value(x, 0) OVER (ORDER BY x) FROM (VALUES (1)) v(x)', 'INVALID_NTH_VALUE'],
  ['SELECT nosuch', 'UNDEFINED_NAME'],
  ['SELECT nosuch(1)', 'UNDEFINED_FUNCTION'],
  ['SELECT 1 FROM nosuch', 'UNDEFINED_TABLE'],
  ['SELECT 1 +', 'SYNTAX_ERROR'],
  ['SELECT $1', 'UNDEFINED_PARAMETER'],
];

test.for(FAILURES)('%s fails', async ([sql, name]) => {
  await expect(dialect.rows(sql)).rejects.toMatchObject({ name });
});

test('CASE keeps a division from happening', async () => {
  const sql = 'SELECT CASE WHEN x = 0 THEN -1 ELSE 10 / x END FROM (VALUES (0), (5)) v(x)';
  expect(await dialect.rows(sql)).toEqual([[-1], [2]]);
});

describe('functions in FROM', () => {
  test.each<readonly [from: string, columns: readonly string[], rows: readonly unknown[][]]>([
    ["lower('A')", ['lower: text null'], [['a']]],
    ["lower('A') AS l", ['l: text null'], [['a']]],
    ["lower('A') WITH ORDINALITY AS l(a, n)", ['a: text null', 'n: long null'], [['a', '1']]],
    ['current_schema()', ['current_schema: text'], [['public']]],
    ["string_to_array('a,b', ',')", ['string_to_array: array(text null) null'], [[['a', 'b']]]],
    ['(VALUES (2)) v(x), abs(-v.x) AS y', ['x: int null', 'y: int null'], [[2, 2]]],
    [
      "unnest([1, 2], ['a', 'b', 'c']) AS u(a, b)",
      ['a: int null', 'b: text null'],
      [
        [1, 'a'],
        [2, 'b'],
        [null, 'c'],
      ],
    ],
    [
      '(VALUES ([3, 4], [5])) v(p, q), unnest(v.p, v.q) WITH ORDINALITY AS u(a, b, n)',
      ['p: array(int null) null', 'q: array(int null) null', 'a: int null', 'b: int null', 'n: long null'],
      [
        [[3, 4], [5], 3, 5, '1'],
        [[3, 4], [5], 4, null, '2'],
      ],
    ],
  ])('%s', async (from, columns, rows) => {
    const sql = `SELECT * FROM ${from}`;
    expect(await dialect.columns(sql)).toEqual(columns);
    expect(await dialect.rows(sql)).toEqual(rows);
  });

  test('are refused with their position if they do not exist', async () => {
    await expect(dialect.rows('SELECT * FROM nosuchfunction(1)')).rejects.toMatchObject({
      sqlState: '42883',
      location: { line: 1, startColumn: 15 },
    });
  });
});

test('ARRAY of a subquery is called array', async () => {
  expect(await dialect.columns('SELECT ARRAY(SELECT 1), ARRAY(SELECT 2 UNION ALL SELECT 3)')).toEqual([
    'array: array(int null) null',
    'array: array(int null) null',
  ]);
});

test('a query that asks for row locks is refused', async () => {
  for (const lock of ['UPDATE', 'SHARE', 'NO KEY UPDATE', 'UPDATE OF v SKIP LOCKED']) {
    await expect(dialect.rows(`SELECT * FROM (VALUES (1)) v FOR ${lock}`)).rejects.toMatchObject({
      sqlState: '0A000',
      message: expect.stringContaining('no row is ever locked'),
    });
  }
});

test('errors point into the statement as it was written', async () => {
  await expect(dialect.rows("SELECT 'é',\n  x\nFROM\n  nosuch t")).rejects.toMatchObject({
    location: { line: 4, startColumn: 3 },
  });
  await expect(dialect.rows('SELECT 1,\n SELEC 2 x y')).rejects.toMatchObject({
    name: 'SYNTAX_ERROR',
    location: { line: 2 },
  });
});

describe('parameters', () => {
  test('take the type of their JSON value, and strings and NULL the type of their place', async () => {
    const parameters = [
      { name: '$1', value: 1n },
      { name: '$2', value: 1.5 },
      { name: '$3', value: true },
      { name: '$4', value: "it's" },
      { name: '$5', value: null },
      { name: '$6', value: 170141183460469231731687303715884105n },
    ];
    const sql = 'SELECT $1, $2, $3, $4, $5, $6';
    expect(await dialect.rows(sql, parameters)).toEqual([
      ['1', 1.5, true, "it's", null, '170141183460469231731687303715884105'],
    ]);
    expect(await dialect.columns('SELECT $1, $2, $3, $4', parameters)).toEqual([
      '?column?: long',
      '?column?: double',
      '?column?: boolean',
      '?column?: text',
    ]);
    const coerced = "SELECT x FROM (VALUES (DATE '2020-01-02')) v(x) WHERE x > $1";
    expect(await dialect.rows(coerced, [{ name: '$1', value: '2020-01-01' }])).toEqual([['2020-01-02']]);
    expect(await dialect.rows('SELECT 1 LIMIT $1', [{ name: '$1', value: 0n }])).toEqual([]);
  });

  test('are described without values', async () => {
    const sql = 'SELECT sum(x) AS s FROM (VALUES (1)) v(x) WHERE x = $1 AND upper($2) = $3';
    expect(await dialect.describe(sql)).toEqual({
      parameter_types: { $1: 'int', $2: 'text', $3: 'text' },
      result_columns: [{ name: 's', type: 'long null' }],
    });
    const casts =
      'SELECT upper($1::int::text) || ($2::date::timestamp)::text || quote_literal($3::double precision::text)';
    expect((await dialect.describe(casts)).parameter_types).toEqual({ $1: 'int', $2: 'date', $3: 'double' });
    const texts =
      "SELECT 'x' || $1::int, upper($2) || 'x', quote_literal($3::bigint::text), upper(NULL::text) || 'x'";
    expect(await dialect.describe(texts)).toMatchObject({
      parameter_types: { $1: 'int', $2: 'text', $3: 'long' },
      result_columns: ['?column?', '?column?', 'quote_literal', '?column?'].map((name) => ({
        name,
        type: 'text null',
      })),
    });
  });
});

test('aggregates over ordered partitions are those of their own partition, however many there are', async () => {
  const over = (order: string) =>
    `(PARTITION BY a ORDER BY b ${order} ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING)`;
  const sql = `SELECT count_if(total <> a)::int, count_if(names <> a::text)::int FROM (
    SELECT a, sum(a) OVER ${over('')} AS total, string_agg(a::text, ',') OVER ${over('DESC')} AS names
    FROM (SELECT a, 'abc' AS b FROM generate_series(1, 1041748) AS g(a)))`;
  expect(await dialect.rows(sql)).toEqual([[0, 0]]);
  const ordered =
    `SELECT string_agg(a::text, ',') OVER ${over('DESC').replace('PARTITION BY a', 'PARTITION BY a % 2')}
    FROM generate_series(1, 4) AS g(a), (SELECT 1) AS one`.replace('ORDER BY b', 'ORDER BY a');
  expect((await dialect.rows(ordered)).flat().sort()).toEqual(['3,1', '3,1', '4,2', '4,2']);
});

test('deep nesting is an error, not a crash', async () => {
  for (const sql of [
    `SELECT ${'('.repeat(10_000)}1${')'.repeat(10_000)}`,
    `SELECT 1${' + 1'.repeat(20_000)}`,
    `SELECT ${'- '.repeat(20_000)}1`,
    `SELECT * FROM ${'(SELECT * FROM '.repeat(600)}(SELECT 1)${')'.repeat(600)}`,
  ]) {
    await expect(dialect.rows(sql)).rejects.toMatchObject({ sqlState: expect.stringMatching(/^42/) });
  }
  expect(await dialect.rows(`SELECT 1${' + 1'.repeat(299)}`)).toEqual([[300]]);
});

test('functions read their arguments, whatever the names of the table and of its columns', async () => {
  const sql = `SELECT array_distinct([e.x, e.i, e.x]), array_sort((a, b) -> b, [e.x, e.i], [2, 1]), to_char(v.x, '99.9'),
      hash(z.x) = hash('text'), hll_count_estimate(hll_count_build(q.m))
    FROM (VALUES (5, 7, 'v', 'k')) e(x, i, v, k), (VALUES (5, 'w', 'p', 'n', 't', 'd')) v(x, whole, part, negative, text, digits),
      (VALUES ('text', 's', 'n')) z(x, s, n), (VALUES (1, 'r', 'u', 'h')) q(m, ranks, used, harmonic)
    GROUP BY ALL`;
  expect(await dialect.rows(sql)).toEqual([[[5, 7], [7, 5], '  5.0', true, '1']]);
});
