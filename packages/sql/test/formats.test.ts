import { quoteText } from '@tessera/kernel';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { cellsQuery, paddedRowsQuery, prepareQuery, widthsQuery } from '../src/index.ts';
import { Dialect } from './dialect.ts';

let dialect: Dialect;
beforeAll(async () => {
  dialect = await Dialect.open();
});
afterAll(() => dialect[Symbol.asyncDispose]());

/** Each value in JSON, TSV and CSV. */
const VALUES: readonly (readonly [sql: string, json: string, tsv: string, csv: string])[] = [
  ['42', '42', '42', '42'],
  ['30000000000', '"30000000000"', '30000000000', '30000000000'],
  ['NULL::INT', 'null', '\\N', ''],
  ['1.5::DOUBLE', '1.5', '1.5', '1.5'],
  ['30::DOUBLE', '30.0', '30', '30'],
  ['-0.0::DOUBLE', '-0.0', '-0', '-0'],
  ['0.1::FLOAT', '0.1', '0.1', '0.1'],
  ["'inf'::DOUBLE", '"inf"', 'inf', 'inf'],
  ["'-inf'::FLOAT", '"-inf"', '-inf', '-inf'],
  ["'nan'::DOUBLE", '"nan"', 'nan', 'nan'],
  ["'inf'::DOUBLE - 'inf'::DOUBLE", '"nan"', 'nan', 'nan'],
  ["['inf'::FLOAT - 'inf'::FLOAT]", '["nan"]', '[nan]', '[nan]'],
  ['1.50::NUMERIC(5, 2)', '"1.50"', '1.50', '1.50'],
  ['true', 'true', 't', 't'],
  ['false', 'false', 'f', 'f'],
  ["DATE '2020-01-02'", '"2020-01-02"', '2020-01-02', '2020-01-02'],
  ["TIMESTAMP '2020-01-02 03:04:05'", '"2020-01-02 03:04:05"', '2020-01-02 03:04:05', '2020-01-02 03:04:05'],
  [
    "TIMESTAMP '2020-01-02 03:04:05.25'",
    '"2020-01-02 03:04:05.25"',
    '2020-01-02 03:04:05.25',
    '2020-01-02 03:04:05.25',
  ],
  [
    "TIMESTAMPTZ '2020-01-02 03:04:05+02'",
    '"2020-01-02 01:04:05+00"',
    '2020-01-02 01:04:05+00',
    '2020-01-02 01:04:05+00',
  ],
  ["'ab'::BYTEA", '"\\\\x6162"', '\\\\x6162', '\\x6162'],
  ["''", '""', '', '""'],
  ["E'a\\tb\\nc\\\\d\"e'", '"a\\tb\\nc\\\\d\\"e"', 'a\\tb\\nc\\\\d"e', '"a\tb\nc\\d""e"'],
  ["'x,y'", '"x,y"', 'x,y', '"x,y"'],
  ["'naïve ☃ 🎉'", '"naïve ☃ 🎉"', 'naïve ☃ 🎉', 'naïve ☃ 🎉'],
  ["chr(1) || 'x'", '"\\u0001x"', '\u0001x', '\u0001x'],
  ['[1, NULL, 3]', '[1,null,3]', '[1,NULL,3]', '"[1,NULL,3]"'],
  ['[]::INT[]', '[]', '[]', '[]'],
  ['[1::LONG]', '["1"]', '[1]', '[1]'],
  ["['it''s', NULL]", '["it\'s",null]', "['it\\\\'s',NULL]", "\"['it\\'s',NULL]\""],
  ["[DATE '2020-01-01']", '["2020-01-01"]', "['2020-01-01']", "['2020-01-01']"],
  ['[[1], []]', '[[1],[]]', '[[1],[]]', '"[[1],[]]"'],
  [
    "{'a': 1::LONG, 'b': ['x'], 'c': 'nan'::DOUBLE}",
    '{"a":"1","b":["x"],"c":"nan"}',
    '{"a":"1","b":["x"],"c":"nan"}',
    '"{""a"":""1"",""b"":[""x""],""c"":""nan""}"',
  ],
  ['NULL::STRUCT(a LONG)', 'null', '\\N', ''],
  ["MAP {'k': 1}", '[{"key":"k","value":1}]', '[{"key":"k","value":1}]', '"[{""key"":""k"",""value"":1}]"'],
];

test.for(VALUES)('%s', async ([sql, json, tsv, csv]) => {
  const query = await dialect.prepare(`SELECT ${sql} AS "a b"`);
  for (const way of ['body', 'writtenBody'] as const) {
    expect(await dialect[way](query, 'json_array')).toBe(`,[${json}]`);
    expect(await dialect[way](query, 'json_object')).toBe(`,{"a b":${json}}`);
    expect(await dialect[way](query, 'tsv')).toBe(`${tsv}\n`);
    expect(await dialect[way](query, 'csv')).toBe(`${csv}\n`);
  }
});

const day = fc.oneof(fc.integer({ min: -800_000, max: 800_000 }), fc.integer({ min: -60, max: 60 }));
const text = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.string({ unit: 'binary' }).map((value) => value.replaceAll('\0', '')),
  fc.string({
    unit: fc.constantFrom('a', '"', ',', '\\', '\t', '\n', '\r', '\b', '\x1f', '\x7f', '☃', '🎉', '.0'),
  }),
);
const micros = fc.bigInt({ min: -(10n ** 17n), max: 10n ** 17n });
/** The texts of values by type. */
const TEXTS: Readonly<Record<string, fc.Arbitrary<string>>> = {
  INT: fc.integer().map(String),
  LONG: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map(String),
  REAL: fc.oneof(fc.float().map(String), fc.constantFrom('NaN', '-0', '30', '1e7', 'inf', '-inf')),
  'DOUBLE PRECISION': fc.oneof(
    fc.double().map(String),
    fc.integer({ min: -25, max: 25 }).map((power) => String(10 ** power)),
    fc.constantFrom('NaN', '-0', '30', 'inf', '-inf'),
  ),
  'NUMERIC(38, 9)': fc.bigInt({ min: -(10n ** 29n) + 1n, max: 10n ** 29n - 1n }).map((n) => `${n}.5`),
  'NUMERIC(5, 5)': fc.integer({ min: -99_999, max: 99_999 }).map((n) => String(n / 100_000)),
  TEXT: text,
  BOOLEAN: fc.boolean().map(String),
  JSON: fc.json(),
  GEOMETRY: fc.tuple(fc.integer({ min: -89, max: 89 }), fc.nat(89)).map(([x, y]) => `POINT(${x} ${y})`),
};
/** Values in SQL by type. */
const SQL_VALUES: readonly (readonly [type: string, fc.Arbitrary<string>])[] = [
  ...Object.entries(TEXTS).map(([type, texts]) => [type, texts.map(quoteText)] as const),
  [
    'DATE',
    fc.oneof(
      day.map((days) => `DATE '1970-01-01' + ${days}`),
      fc.constantFrom("'infinity'", "'-infinity'"),
    ),
  ],
  ['TIMESTAMP', micros.map((n) => `make_timestamp(${n})`)],
  ['TIMESTAMPTZ', micros.map((n) => `make_timestamp(${n})::TIMESTAMPTZ`)],
  ['BYTEA', fc.uint8Array({ maxLength: 30 }).map((bytes) => `'\\x${Buffer.from(bytes).toString('hex')}'`)],
];

describe('rows that are written from values are those that the kernel formats', () => {
  test.for(SQL_VALUES)('%s', async ([type, values]) => {
    const samples = fc.sample(fc.option(values, { nil: 'NULL', freq: 6 }), 200);
    const rows = samples.map((value, i) => `(${i}, (${value})::${type})`).join(', ');
    await same(`SELECT v, i, v AS w FROM (VALUES ${rows}) x(i, v) ORDER BY i`);
    await same(
      `SELECT [v, NULL] AS a, {'b': v, 'c': [v]} AS s, [[v], NULL] FROM (VALUES ${rows}) x(i, v) ORDER BY i`,
    );
  });

  test('names of columns with what JSON escapes', async () => {
    await same(`SELECT 1 AS "a\u0001\u001f""\\☃", 'x' AS "ä\u007f\n\t\u2028", 2 AS "a", 3 AS "a"`);
  });

  test('no rows, and rows of several chunks with long texts', async () => {
    await same("SELECT i, 'x' AS t FROM generate_series(1, 0) g(i)");
    await same(
      "SELECT i, repeat('ä', i % 50) AS t, NULLIF(i % 7, 3) AS n FROM generate_series(1, 5000) g(i)",
    );
  });

  async function same(sql: string): Promise<void> {
    const query = await dialect.prepare(sql);
    for (const format of ['tsv', 'csv', 'json_array', 'json_object'] as const)
      expect(await dialect.writtenBody(query, format), format).toBe(await dialect.body(query, format));
  }
});

test('rows keep their order and their separators', async () => {
  const sql = "SELECT i, 'r' || i FROM generate_series(1, 3) g(i) ORDER BY i DESC";
  expect(await dialect.body(sql, 'tsv')).toBe('3\tr3\n2\tr2\n1\tr1\n');
  expect(await dialect.body(sql, 'csv')).toBe('3,r3\n2,r2\n1,r1\n');
  expect(await dialect.body(sql, 'json_array')).toBe(',["3","r3"],["2","r2"],["1","r1"]');
});

test('vertical rows are numbered', async () => {
  const sql = "SELECT i AS id, 'x' AS long_name FROM generate_series(1, 2) g(i) ORDER BY i";
  expect(await dialect.body(sql, 'vertical')).toBe(
    'Row 1:\n──────\nid:        1\nlong_name: x\n\nRow 2:\n──────\nid:        2\nlong_name: x\n\n',
  );
});

test('columns of one name, of none and of odd names', async () => {
  expect(await dialect.body('SELECT 1, 2, 3 AS "a""b"', 'json_array')).toBe(',[1,2,3]');
  expect(await dialect.body('SELECT 1, 2, 3 AS "a""b"', 'json_object')).toBe(
    ',{"?column?":1,"?column?":2,"a\\"b":3}',
  );
});

test('PSQL: cells of several lines go on below', async () => {
  const context = dialect.context();
  const query = await prepareQuery(
    "SELECT * FROM (VALUES (E'a\\nlonger\\n', 1, E'x'), ('é', NULL, E'y\\nz')) AS v(t, n, u) ORDER BY n",
    context,
  );
  const cells = `(${cellsQuery(query)})`;
  const widths = String(await context.session.scalar(widthsQuery(cells, query.columns)))
    .split(',')
    .map(Number);
  expect(widths).toEqual([6, 1, 1]);
  const rows = await context.session.scalar(
    `SELECT string_agg(r, '') FROM (${paddedRowsQuery(cells, query.columns, widths)}) AS p(r)`,
  );
  expect(String(rows).split('\n')).toEqual([
    ' a     +| 1 | x',
    ' longer+|   |  ',
    '        |   |  ',
    ' é      |   | y+',
    '        |   | z',
    '',
  ]);
});
