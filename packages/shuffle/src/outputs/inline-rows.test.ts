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

it.each([
  ['large ones', "SELECT range, repeat('x', 1000) FROM range(100)"],
  ['those without rows', 'SELECT 1, NULL WHERE false'],
])('outputs do not travel inline: %s', async (_, sql) => {
  expect((await stored(3, sql)).inline).toBeUndefined();
  await a.shuffle.release(asQueryId('query'));
});
