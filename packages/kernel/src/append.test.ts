import {
  type Data,
  Field,
  Int32,
  makeData,
  RecordBatch,
  Schema,
  Struct,
  tableFromArrays,
  Utf8,
} from 'apache-arrow';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { KernelSession } from './client/kernel-session.ts';
import { messagesOf, schemaOf, type TestKernel, testKernel } from './testing/test-kernel.ts';

let t: TestKernel;
let source: KernelSession;
let target: KernelSession;
let tables = 0;

beforeAll(async () => {
  t = await testKernel();
  source = await t.kernel.session({ timeZone: 'Europe/Berlin' });
  target = await t.kernel.session({ timeZone: 'Europe/Berlin' });
});
afterAll(() => t[Symbol.asyncDispose]());

/** Appends the query's rows to a table of the other session and compares types and values there. */
async function roundTrip(sql: string): Promise<void> {
  const table = `t${tables++}`;
  const result = await source.query(sql);
  await target.append(table, schemaOf(result), messagesOf(result));
  const { columns } = await target.describe(`FROM ${table}`);
  expect(columns).toEqual(result.columns);
  const text = (from: string) => `SELECT COLUMNS(*)::VARCHAR FROM ${from}`;
  for (const [a, b] of [
    [`(${sql})`, table],
    [table, `(${sql})`],
  ] as const) {
    expect(await target.scalar(`SELECT count(*) FROM (${text(a)} EXCEPT ALL ${text(b)})`)).toBe(0);
  }
}

const VALUES = [
  ...['TINYINT', 'SMALLINT', 'INTEGER', 'BIGINT', 'UTINYINT', 'USMALLINT', 'UINTEGER', 'UBIGINT'].map(
    (x) => `(range % 100)::${x}`,
  ),
  '170141183460469231731687303715884105727::HUGEINT',
  "'-170141183460469231731687303715884105728'::HUGEINT",
  '(range * 1.5)::DECIMAL(5,1)',
  '(range * -1.5)::DECIMAL(9,2)',
  '(range * 1.5)::DECIMAL(18,3)',
  '-12345678901234567890123456789.123::DECIMAL(38,9)',
  'range / 7.0::DOUBLE',
  "CASE range % 3 WHEN 0 THEN 'nan' WHEN 1 THEN 'inf' ELSE '-inf' END::DOUBLE",
  "'nan'::FLOAT",
  'range % 2 = 0',
  "CASE WHEN range % 2 = 0 THEN '' ELSE repeat('ä€😀', (range % 50)::INT) END",
  "CASE WHEN range % 500 = 0 THEN repeat('long', 50000) ELSE 'short' END",
  "'\\xAA\\x00\\xFF'::BLOB",
  'md5(range::VARCHAR)::UUID',
  "DATE '1969-12-31' - range::INT",
  "'infinity'::DATE",
  "TIME '12:34:56.789012'",
  "'12:34:56.789012345'::TIME_NS",
  "TIMESTAMP '1960-01-01 01:02:03.4' + to_seconds(range)",
  "'-infinity'::TIMESTAMP",
  "'2000-01-01 00:00:01'::TIMESTAMP_S",
  "'2000-01-01 00:00:00.123'::TIMESTAMP_MS",
  "'2000-01-01 00:00:00.123456789'::TIMESTAMP_NS",
  "'2000-07-01 00:00:00+05'::TIMESTAMPTZ",
  "INTERVAL '1 year 3 days 4.5 seconds'",
  "['a', 'b'][1 + range % 2]::ENUM('a', 'b')",
  "['b', NULL]::ENUM('a', 'b')[]",
  '[range, NULL]',
  '[[range], NULL, []]',
  "{'a': range, 'b': {'c': 'x', 'd': NULL}}",
  "MAP {'a': [range]}",
  "[{'a': 'x'}, NULL]",
  "{'l': [1.5::DECIMAL(20,2)], 'm': MAP {1: 'one'}}",
  '(CASE WHEN range % 2 = 0 THEN union_value(a := range) END)::UNION(a BIGINT, b VARCHAR)',
  '\'{"a": 1}\'::JSON',
  '[true, NULL, false]',
];

describe('a round trip keeps type and value', () => {
  test.each(VALUES)('%s', (value) =>
    roundTrip(
      `SELECT range AS i, CASE WHEN range % 3 <> 1 THEN ${value} END AS v, ${value} AS w FROM range(5000)`,
    ),
  );
  test.each(['[range, 2]::BIGINT[2]', "[{'a': range::VARCHAR}]::STRUCT(a VARCHAR)[1]"])('%s', (value) =>
    roundTrip(`SELECT range AS i, ${value} AS w FROM range(5000)`),
  );
  test.each(['1 AS a', "'b'::ENUM('a', 'b') AS a", "['x'] AS a", "{'a': 1} AS a"])('no rows: %s', (columns) =>
    roundTrip(`SELECT ${columns} WHERE false`),
  );
  test('only NULLs', () =>
    roundTrip('SELECT NULL::VARCHAR AS a, NULL::INT[] AS b, NULL::STRUCT(x INT) AS c FROM range(3000)'));
  test('sparse rows of uneven chunks', () =>
    roundTrip(
      "SELECT range AS i, CASE WHEN random() >= 0 AND range % 5 = 0 THEN NULL ELSE 'v' || range END AS s, [range % 3 = 0] AS l FROM range(300000) WHERE range % 7 <> 1",
    ));
});

test('rows keep their order across chunks', async () => {
  const result = await source.query('SELECT range AS i FROM range(1000000)');
  expect(await target.append('ordered', schemaOf(result), messagesOf(result))).toBe(1_000_000);
  expect(await target.scalar('SELECT count(*) FROM ordered WHERE i = rowid')).toBe(1_000_000);
});

test('record batches of apache-arrow are accepted unchanged', async () => {
  const numbers = tableFromArrays({ n: Int32Array.from({ length: 300_000 }, (_, i) => i) });
  expect(await target.append('numbers', numbers.schema, numbers.batches)).toBe(300_000);
  expect(await target.scalar('SELECT sum(n) FROM numbers')).toBe(44_999_850_000);
  const words = tableFromArrays({ s: ['a', 'b', 'a', null] });
  expect(await target.append('words', words.schema, words.batches)).toBe(4);
  expect(await target.scalar("SELECT string_agg(coalesce(s, '-'), '') FROM words")).toBe('aba-');
});

test('a source that fails leaves no table, and the session remains usable', async () => {
  const numbers = tableFromArrays({ n: Int32Array.from([1, 2]) });
  const failing = (async function* () {
    yield numbers.batches[0]!;
    throw new Error('the file broke');
  })();
  await expect(target.append('half', numbers.schema, failing)).rejects.toThrow('the file broke');
  await expect(target.scalar('SELECT count(*) FROM half')).rejects.toMatchObject({ name: 'UNDEFINED_TABLE' });
});

test('a name that is in use is refused', async () => {
  const numbers = tableFromArrays({ n: Int32Array.from([1]) });
  await target.append('taken', numbers.schema, numbers.batches);
  await expect(target.append('taken', numbers.schema, numbers.batches)).rejects.toThrow(/taken.*exists/);
  expect(await target.scalar('SELECT count(*) FROM taken')).toBe(1);
});

describe('corrupt batches are refused, not read', () => {
  const text = (offsets: number[], bytes: string) =>
    batchOf(
      makeData({
        type: new Utf8(),
        length: offsets.length - 1,
        valueOffsets: Int32Array.from(offsets),
        data: Buffer.from(bytes, 'latin1'),
      }),
      new Utf8(),
    );
  test.each([
    ['offsets that run backwards', text([0, 2, 1], 'abc'), /backwards/],
    ['offsets past the data', text([0, 1, 1000], 'abc'), /past the data/],
    ['invalid UTF-8', text([0, 2], '\xff\xfe'), /UTF-8/],
    ['a value that begins inside a character', text([0, 1, 2], '\xc3\xa4'), /UTF-8/],
    [
      'values that are missing',
      batchOf(makeData({ type: new Int32(), length: 1000, data: new Int32Array(2) }), new Int32()),
      /short/,
    ],
  ])('%s', async (_name, batch, reason) => {
    await expect(target.append('corrupt', batch.schema, [batch])).rejects.toThrow(reason);
    expect(await target.scalar('SELECT 1')).toBe(1);
  });

  function batchOf(data: Data, type: Int32 | Utf8): RecordBatch {
    const schema = new Schema([new Field('c', type, true)]);
    return new RecordBatch(
      schema,
      makeData({
        type: new Struct(schema.fields),
        length: data.length,
        nullCount: 0,
        children: [data as never],
      }) as never,
    );
  }
});
