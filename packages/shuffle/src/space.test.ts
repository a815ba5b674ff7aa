import { asQueryId } from '@tessera/common';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { OutputShape } from './index.ts';
import { keyOf, openNode, type TestNode } from './testing/shuffle-nodes.ts';

const SHAPE: OutputShape = {
  columns: [
    { name: 'k', type: 'BIGINT' },
    { name: 't', type: 'VARCHAR' },
  ],
  hashKeys: [0],
};
const rowsOf = (count: number) => `SELECT i, md5(i::VARCHAR) || md5(i::VARCHAR) FROM range(${count}) AS t(i)`;
const { signal } = new AbortController();

/** A node with little memory and even less disk space. */
let small: TestNode;
let large: TestNode;
beforeAll(async () => {
  [small, large] = await Promise.all([
    openNode({
      kernel: { memoryLimitBytes: 64 << 20, spillLimitBytes: 8 << 20 },
      shuffle: { memoryBytes: 16 << 20, diskBytes: 8 << 20 },
    }),
    openNode({}),
  ]);
});
afterAll(() => Promise.all([small.close(), large.close()]));

it('an output that neither memory nor disk holds is refused, and its space released', async () => {
  const session = await small.session();
  const stored = small.shuffle.store(keyOf(0), session, rowsOf(2_000_000), SHAPE);
  await expect(stored).rejects.toMatchObject({ name: 'SHUFFLE_SPACE_EXHAUSTED', retry: 'client' });
  expect(small.shuffle.bytes).toBe(0);
  expect(small.shuffle.diskBytes).toBe(0);
  expect((await small.kernel.memory()).spilledBytes).toBe(0);
  await small.store(1, rowsOf(100_000), SHAPE);
  await small.shuffle.release(asQueryId('query'));
});

it('fetched blocks count too, and the producer keeps them for others', async () => {
  const block = await large.store(2, rowsOf(2_000_000), SHAPE);
  const session = await small.session();
  const fetched = small.shuffle.fetch(session, [block], SHAPE, signal);
  await expect(fetched).rejects.toMatchObject({ name: 'SHUFFLE_SPACE_EXHAUSTED' });
  expect((await small.kernel.memory()).spilledBytes).toBe(0);
  const { rows } = await large.shuffle.fetch(await large.session(), [block], SHAPE, signal);
  expect(rows).toBe(2_000_000);
  await large.shuffle.release(asQueryId('query'));
});
