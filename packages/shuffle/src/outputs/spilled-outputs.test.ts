import { readdirSync, readlinkSync, writeSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { OutputShape } from '../index.ts';
import { keyOf, openNode, type TestNode } from '../testing/shuffle-nodes.ts';

const SHAPE: OutputShape = {
  columns: [
    { name: 'k', type: 'BIGINT' },
    { name: 't', type: 'VARCHAR' },
  ],
  hashKeys: [0],
};
const ROWS = 500_000;
const ALL_ROWS = `SELECT range, 'text ' || range FROM range(${ROWS})`;
const MEMORY_BYTES = 4 << 20;
const { signal } = new AbortController();
let a: TestNode;
let b: TestNode;
beforeAll(async () => {
  [a, b] = await Promise.all([openNode({ shuffle: { memoryBytes: MEMORY_BYTES } }), openNode()]);
});
afterAll(() => Promise.all([a.close(), b.close()]));

it('rows beyond the budget are on disk, and read from there on both nodes', async () => {
  const block = await a.store(0, ALL_ROWS, SHAPE);
  expect(a.shuffle.diskBytes).toBeGreaterThan(MEMORY_BYTES);
  expect(a.shuffle.bytes - a.shuffle.diskBytes).toBeLessThanOrEqual(MEMORY_BYTES);
  for (const node of [a, b]) {
    let sum = 0n;
    for (const buckets of [
      [0, 17],
      [17, 1024],
    ] as const) {
      const session = await node.session();
      const parts = [{ ...block, rows: undefined, buckets }];
      const { sql } = await node.shuffle.fetch(session, parts, SHAPE, signal);
      sum += BigInt(
        (await session.scalar(`SELECT sum(k)::BIGINT FROM ${sql} WHERE t = 'text ' || k`)) as number,
      );
    }
    expect(sum).toBe((BigInt(ROWS) * BigInt(ROWS - 1)) / 2n);
  }
  await a.shuffle.release('query');
});

it('rows that change on disk are found out, on both nodes', async () => {
  const block = await a.store(1, ALL_ROWS, SHAPE);
  // The file has no name, so its open descriptor is the only way to access it.
  const fd = readdirSync('/proc/self/fd').find((one) => {
    try {
      return /exchange\/\d+ \(deleted\)$/.test(readlinkSync(`/proc/self/fd/${one}`));
    } catch {
      return false;
    }
  });
  const file = await open(`/proc/self/fd/${fd}`, 'r+');
  writeSync(file.fd, Buffer.from('changed'), 0, 7, 1_000_000);
  await file.close();
  for (const node of [a, b]) {
    const fetched = node.shuffle.fetch(await node.session(), [block], SHAPE, signal);
    await expect(fetched).rejects.toMatchObject({ name: 'FETCH_FAILED' });
    await expect(fetched).rejects.toThrow('its rows on disk have changed');
  }
  await a.shuffle.release('query');
});

it('a query that is cancelled leaves nothing in memory or on disk', async () => {
  const session = await a.session();
  const storing = a.shuffle.store(
    keyOf(2),
    session,
    'SELECT range, range::VARCHAR FROM range(100000000)',
    SHAPE,
  );
  const failed = expect(storing).rejects.toMatchObject({ name: 'QUERY_CANCELLED' });
  await expect.poll(() => a.shuffle.diskBytes).toBeGreaterThan(0);
  session.interrupt();
  await failed;
  expect([a.shuffle.bytes, a.shuffle.diskBytes]).toEqual([0, 0]);
});
