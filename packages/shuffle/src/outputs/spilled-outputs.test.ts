import { readdirSync, readlinkSync, writeSync } from 'node:fs';
import { open } from 'node:fs/promises';
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

it('rows beyond the budget are spilled to disk and read from there on both nodes', async () => {
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
  await a.shuffle.release(asQueryId('query'));
});

it('rows that change on disk are detected on both nodes', async () => {
  const block = await a.store(1, ALL_ROWS, SHAPE);
  // The file has no name, so its open descriptor is the only way to access it.
  const fd = readdirSync('/proc/self/fd').find((one) => {
    try {
      return /exchange\/spill-\d+ \(deleted\)$/.test(readlinkSync(`/proc/self/fd/${one}`));
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
  await a.shuffle.release(asQueryId('query'));
});

it('rows of inline, remote, own and spilled outputs are one relation, in memory and on disk', async () => {
  const storeOn = async (node: TestNode, task: number, from: number, to: number): Promise<ShuffleBlock> => {
    const session = await node.session();
    const sql = `SELECT range, 'text ' || range FROM range(${from}, ${to})`;
    const { rows, inline } = await node.shuffle.store(keyOf(task), session, sql, SHAPE);
    const { address, shuffle } = node;
    return { producer: keyOf(task), address, incarnation: shuffle.incarnation, rows, inline };
  };
  const edges = [0, 500, 1_000, 60_000, 300_000, 300_600];
  const n = 300_600n;
  const nodes = [a, b, a, b, a];
  const blocks: ShuffleBlock[] = [];
  for (const [i, node] of nodes.entries()) blocks.push(await storeOn(node, 10 + i, edges[i]!, edges[i + 1]!));
  expect(blocks.map(({ inline }) => inline !== undefined)).toEqual([true, true, false, false, true]);
  const small = await openNode({ kernel: { memoryLimitBytes: 96 << 20, ceilingBytes: 128 << 20 } });
  try {
    for (const node of [a, b, small]) {
      const session = await node.session();
      const { sql, rows, spilledBytes } = await node.shuffle.fetch(session, blocks, SHAPE, signal);
      expect(rows).toBe(edges.at(-1));
      const isSpilled = spilledBytes > 0;
      expect(isSpilled).toBe(node === small);
      // These need no memory: the received rows take nearly all of it on the small node.
      const facts = `SELECT count(*) || ' ' || sum(k)::HUGEINT || ' ' || sum(k * k)::HUGEINT FROM ${sql} WHERE t = 'text ' || k`;
      const sums = [(n * (n - 1n)) / 2n, ((n - 1n) * n * (2n * n - 1n)) / 6n];
      expect(await session.scalar(facts)).toBe([n, ...sums].join(' '));
      await session.close();
    }
  } finally {
    await small.close();
  }
  await Promise.all([a.shuffle.release(asQueryId('query')), b.shuffle.release(asQueryId('query'))]);
});

it('slices, and ranges that end within a batch, have each row once', async () => {
  const block = await a.store(3, ALL_ROWS, SHAPE);
  const edges = [0, 1, 63, 64, 341, 683, 1000, 1024];
  const ranges = edges.slice(1).map((to, i) => ({ buckets: [edges[i]!, to] as const }));
  const slices = Array.from({ length: 5 }, (_, slice) => ({ slice: [slice, 5] as const }));
  for (const parts of [ranges, slices]) {
    const session = await b.session();
    const blocks = parts.map((part) => ({ ...block, rows: undefined, ...part }));
    const { sql, rows } = await b.shuffle.fetch(session, blocks, SHAPE, signal);
    expect(rows).toBe(ROWS);
    const facts = `SELECT count(DISTINCT k) FROM ${sql} WHERE t = 'text ' || k`;
    expect(await session.scalar(facts)).toBe(ROWS);
  }
  await a.shuffle.release(asQueryId('query'));
});

it('files of released outputs are reused, and their earlier contents are not read', async () => {
  const first = await a.store(4, ALL_ROWS, SHAPE);
  await a.shuffle.release(asQueryId('query'));
  const shorter = await a.store(5, `SELECT range, 'other ' || range FROM range(${ROWS / 2})`, SHAPE);
  const session = await b.session();
  const { sql, rows } = await b.shuffle.fetch(session, [shorter], SHAPE, signal);
  expect(rows).toBe(ROWS / 2);
  expect(await session.scalar(`SELECT count(*) FROM ${sql} WHERE t = 'other ' || k`)).toBe(ROWS / 2);
  await expect(b.shuffle.fetch(await b.session(), [first], SHAPE, signal)).rejects.toMatchObject({
    name: 'FETCH_FAILED',
  });
  await a.shuffle.release(asQueryId('query'));
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
