import { asQueryId } from '@tessera/common';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { OutputShape, ShuffleBlock } from '../index.ts';
import { keyOf, openNode, type TestNode } from '../testing/shuffle-nodes.ts';

const SHAPE: OutputShape = {
  columns: [
    { name: 'k', type: 'BIGINT' },
    { name: 't', type: 'VARCHAR' },
  ],
  hashKeys: [0],
};
const { signal } = new AbortController();
let a: TestNode;
let b: TestNode;
beforeAll(async () => {
  [a, b] = await Promise.all([openNode(), openNode()]);
});
afterAll(() => Promise.all([a.close(), b.close()]));

async function stored(task: number, sql: string, node = a): Promise<ShuffleBlock> {
  const producer = keyOf(task);
  const session = await node.session();
  const { rows, inline } = await node.shuffle.store(producer, session, sql, SHAPE);
  return { producer, address: node.address, incarnation: node.shuffle.incarnation, rows, inline };
}

const ROWS = "SELECT range, 'text ' || range FROM range(500)";

async function readOn(node: TestNode, blocks: readonly ShuffleBlock[]) {
  const session = await node.session();
  const { sql, rows, bytes } = await node.shuffle.fetch(session, blocks, SHAPE, signal);
  const sum = await session.scalar(`SELECT sum(k)::BIGINT FROM ${sql} WHERE t = 'text ' || k`);
  return { rows, bytes, sum: Number(sum ?? 0) };
}

it('the rows of a small output can be read whole and by range after its node is gone', async () => {
  const gone = await openNode();
  const block = await stored(0, ROWS, gone);
  await gone.close();
  expect(await readOn(b, [block])).toMatchObject({ rows: 500, sum: (499 * 500) / 2 });
  const ranges = [
    [0, 100],
    [100, 101],
    [101, 1024],
  ] as const;
  const parts = await Promise.all(
    ranges.map((buckets) => readOn(b, [{ ...block, rows: undefined, buckets }])),
  );
  expect(parts.reduce((sum, part) => sum + part.rows, 0)).toBe(500);
  expect(parts.reduce((sum, part) => sum + part.sum, 0)).toBe((499 * 500) / 2);
});

it('received bytes are counted for rows from another node', async () => {
  const block = await stored(1, ROWS);
  expect((await readOn(a, [block])).bytes).toBe(0);
  expect((await readOn(b, [block])).bytes).toBeGreaterThan(5_000);
});

it('rows that arrive changed are fetched from the node that keeps them', async () => {
  const { inline, ...block } = await stored(2, ROWS);
  const batch = Buffer.from(inline!.batch);
  batch[batch.length >> 1]! ^= 1;
  const changed = { ...inline!, batch };
  expect(await readOn(b, [{ ...block, inline: changed }])).toMatchObject({ rows: 500, sum: (499 * 500) / 2 });
  await a.shuffle.release(asQueryId('query'));
  const lost = readOn(b, [{ ...block, inline: changed }]);
  await expect(lost).rejects.toMatchObject({ name: 'FETCH_FAILED' });
});

const VALUES: Readonly<Record<string, readonly string[]>> = {
  BOOLEAN: ['true', 'false'],
  TINYINT: ['-128', '127'],
  UTINYINT: ['0', '255'],
  SMALLINT: ['-32768'],
  USMALLINT: ['65535'],
  INTEGER: ['-2147483648', '2147483647'],
  UINTEGER: ['4294967295'],
  BIGINT: ['-9223372036854775808', '9223372036854775807'],
  UBIGINT: ['18446744073709551615'],
  HUGEINT: ['-12345678901234567890123456789', '1'],
  FLOAT: ["'nan'", "'-inf'", '0.1', '3.4028235e38', '-0.0', '1e-45'],
  DOUBLE: ["'nan'", "'inf'", '0.1', '1.7976931348623157e308', '-0.0', '5e-324'],
  'DECIMAL(4, 1)': ['-999.9', '0.1'],
  'DECIMAL(18, 6)': ['-0.000001', '999999999999.999999'],
  'DECIMAL(38, 0)': ['-99999999999999999999999999999999999999'],
  'DECIMAL(38, 38)': ['0.00000000000000000000000000000000000001'],
  DATE: ["'1969-12-31'", "'4000-02-29'", "'0044-03-15 (BC)'", "'infinity'"],
  VARCHAR: ["''", "'it''s — ''quoted'' \\ text'", "'a' || chr(0) || 'b'"],
  // These are received.
  TIMESTAMP: ["'2026-11-28 01:02:03.456789'"],
  BLOB: ["'\\x00\\xff'"],
  UUID: ["'6f1c1f0e-91c8-4a9c-9d0f-2f6a3b1c4d5e'"],
  JSON: [`'{"a": [1]}'`],
  'INTEGER[]': ['[1, NULL]'],
  'STRUCT(a INTEGER)': ["{'a': 1}"],
  "ENUM('x', 'y')": ["'y'"],
};

it.each(Object.entries(VALUES))(
  'a few values of %s are the same as those of a larger output',
  async (type, values) => {
    const shape: OutputShape = { columns: [{ name: 'v', type }], hashKeys: [] };
    const session = await a.session();
    const sql = `SELECT * FROM (VALUES ${[...values, 'NULL'].map((value) => `(CAST(${value} AS ${type}))`).join(', ')})`;
    const producer = keyOf(9, `query of ${type}`);
    const { inline, rows } = await a.shuffle.store(producer, session, sql, shape);
    const block = { producer, address: a.address, incarnation: a.shuffle.incarnation, rows, inline };
    const textOf = async (asExchange: boolean) => {
      const reader = await b.session();
      const fetched = await b.shuffle.fetch(reader, [block], shape, signal, { asExchange });
      const { columns } = await reader.describe(`FROM ${fetched.sql}`);
      const texts = await reader.scalar(
        `SELECT to_json(list(v::VARCHAR ORDER BY v))::VARCHAR FROM ${fetched.sql}`,
      );
      return { type: columns[0]!.type, rows: fetched.rows, bytes: fetched.bytes, texts };
    };
    const received = await textOf(true);
    expect(received.rows).toBe(values.length + 1);
    expect(await textOf(false)).toEqual(received);
  },
);

it('a few rows of some buckets are the rows of these buckets', async () => {
  const block = await stored(4, "SELECT range, 'text ' || range FROM range(20)");
  const halves = [
    [0, 512],
    [512, 1024],
  ] as const;
  // The first fetches check the buckets, for which they receive the rows.
  for (let run = 0; run < 8; run++) {
    const parts = await Promise.all(
      halves.map((buckets) => readOn(b, [{ ...block, rows: undefined, buckets }])),
    );
    expect(parts.map(({ rows }) => rows).reduce((sum, rows) => sum + rows)).toBe(20);
    expect(parts.map(({ sum }) => sum).reduce((total, sum) => total + sum)).toBe(190);
  }
});

it('a few rows of several outputs are in the text of the statement', async () => {
  const blocks = [await stored(5, "SELECT 1, 'text 1'"), await stored(6, "SELECT 2, 'text 2'")];
  const session = await b.session();
  const { sql } = await b.shuffle.fetch(session, blocks, SHAPE, signal);
  expect(sql).toContain("(1, 'text 1'), (2, 'text 2')");
  expect(await readOn(b, blocks)).toMatchObject({ rows: 2, sum: 3 });
});

it.each([
  ['large ones', "SELECT range, repeat('x', 1000) FROM range(100)"],
  ['those without rows', 'SELECT 1, NULL WHERE false'],
])('outputs do not travel inline: %s', async (_, sql) => {
  expect((await stored(3, sql)).inline).toBeUndefined();
  await a.shuffle.release(asQueryId('query'));
});
