import { afterAll, beforeAll, expect, test } from 'vitest';
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
  expect(await dialect.body(`SELECT ${sql}`, 'json_array')).toBe(`,[${json}]`);
  expect(await dialect.body(`SELECT ${sql} AS "a b"`, 'json_object')).toBe(`,{"a b":${json}}`);
  expect(await dialect.body(`SELECT ${sql}`, 'tsv')).toBe(`${tsv}\n`);
  // How many rows this query has is not known, and then their texts are escaped in another way.
  expect(await dialect.body(`SELECT * FROM (SELECT ${sql}) AS q`, 'tsv')).toBe(`${tsv}\n`);
  expect(await dialect.body(`SELECT ${sql}`, 'csv')).toBe(`${csv}\n`);
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
