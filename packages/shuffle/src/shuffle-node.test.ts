import { asQueryId } from '@tessera/common';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HASH_BUCKETS, type OutputShape, type ShuffleBlock } from './index.ts';
import { keyOf, openNode, type TestNode } from './testing/shuffle-nodes.ts';

let a: TestNode;
let b: TestNode;
beforeAll(async () => {
  [a, b] = await Promise.all([openNode(), openNode()]);
});
afterAll(async () => {
  await Promise.all([a.close(), b.close()]);
});

const { signal } = new AbortController();
const SHAPE: OutputShape = {
  columns: [
    { name: 'k', type: 'BIGINT' },
    { name: 't', type: 'VARCHAR' },
  ],
  hashKeys: [0],
};
const rowsOf = (from: number, count: number) =>
  `SELECT range AS k, 'text ' || range AS t FROM range(${from}, ${from + count})`;

describe('the outputs of two nodes', () => {
  let blocks: ShuffleBlock[];
  beforeAll(async () => {
    blocks = [await a.store(0, rowsOf(0, 300_000), SHAPE), await b.store(1, rowsOf(300_000, 200_000), SHAPE)];
  });
  afterAll(async () => {
    await Promise.all([a.shuffle.release(asQueryId('query')), b.shuffle.release(asQueryId('query'))]);
  });

  it('is read whole on both', async () => {
    for (const node of [a, b]) {
      const session = await node.session();
      const fetched = await node.shuffle.fetch(session, blocks, SHAPE, signal);
      expect(fetched.rows).toBe(500_000);
      expect(fetched.bytes).toBeGreaterThan(1_000_000);
      expect(await session.scalar(`SELECT count(DISTINCT k) FROM ${fetched.sql}`)).toBe(500_000);
      expect(await session.scalar(`SELECT count(*) FROM ${fetched.sql} WHERE t = 'text ' || k`)).toBe(
        500_000,
      );
      const { columns } = await session.describe(`FROM ${fetched.sql}`);
      expect(columns).toEqual([
        { name: 'k', type: { id: 'BIGINT' } },
        { name: 't', type: { id: 'VARCHAR' } },
      ]);
    }
  });

  it('is read by ranges of buckets: each row once', async () => {
    const seen = await Promise.all(
      [a, b].map(async (node, i) => {
        const session = await node.session();
        const buckets = [(HASH_BUCKETS / 2) * i, (HASH_BUCKETS / 2) * (i + 1)] as const;
        const chosen = blocks.map(({ rows: _, ...block }) => ({ ...block, buckets }));
        const { sql, rows } = await node.shuffle.fetch(session, chosen, SHAPE, signal);
        expect(await session.scalar(`SELECT count(*) FROM ${sql}`)).toBe(rows);
        return session.scalar(`SELECT sum(k) FROM ${sql}`);
      }),
    );
    expect(Number(seen[0]) + Number(seen[1])).toBe((499_999 * 500_000) / 2);
  });

  it.each([undefined, [0, 512]] as const)(
    'is read in slices of about the same size, buckets %j',
    async (buckets) => {
      const session = await a.session();
      const sizes: number[] = [];
      let sum = 0;
      for (const slice of [0, 1, 2]) {
        const chosen = blocks.map(({ rows: _, ...block }) => ({
          ...block,
          buckets,
          slice: [slice, 3] as const,
        }));
        const { sql } = await a.shuffle.fetch(session, chosen, SHAPE, signal);
        sizes.push(Number(await session.scalar(`SELECT count(*) FROM ${sql}`)));
        sum += Number(await session.scalar(`SELECT sum(k) FROM ${sql}`));
      }
      const whole = blocks.map(({ rows: _, ...block }) => ({ ...block, buckets }));
      const { sql } = await a.shuffle.fetch(session, whole, SHAPE, signal);
      expect(sum).toBe(Number(await session.scalar(`SELECT sum(k) FROM ${sql}`)));
      expect(Math.max(...sizes) / Math.min(...sizes)).toBeLessThan(1.05);
    },
  );
});

it('reports rows, bytes and the rows of each bucket', async () => {
  const session = await a.session();
  const stored = await a.shuffle.store(keyOf(0, 'sizes'), session, rowsOf(0, 10_000), SHAPE);
  expect(stored.rows).toBe(10_000);
  expect(stored.bytes).toBeGreaterThan(10_000 * (8 + 2 + 9));
  expect(stored.bytes).toBeLessThan(10_000 * 40);
  expect(stored.bucketRows).toHaveLength(HASH_BUCKETS);
  expect(stored.bucketRows.reduce((x, y) => x + y)).toBe(10_000);
  expect(a.shuffle.bytes).toBe(stored.bytes);
  await a.shuffle.release(asQueryId('sizes'));
  expect(a.shuffle.bytes).toBe(0);
});

it.each([
  ['without rows', 'SELECT 1::BIGINT, NULL WHERE false', SHAPE, 0],
  ['without columns', 'SELECT 1 FROM range(1234)', { columns: [], hashKeys: [] }, 1234],
  [
    'of untyped NULLs',
    'SELECT NULL FROM range(7)',
    { columns: [{ name: 'n', type: '"NULL"' }], hashKeys: [] },
    7,
  ],
])('outputs %s', async (_, sql, shape, rows) => {
  const block = await a.store(0, sql, shape, 'small');
  for (const node of [a, b]) {
    const session = await node.session();
    for (const known of [rows, undefined]) {
      const fetched = await node.shuffle.fetch(session, [{ ...block, rows: known }], shape, signal);
      expect(fetched.rows).toBe(rows);
      expect(await session.scalar(`SELECT count(*) FROM ${fetched.sql}`)).toBe(rows);
    }
  }
  await a.shuffle.release(asQueryId('small'));
});

describe('release', () => {
  it('frees the outputs of a query, of a run, or of stages', async () => {
    const session = await a.session();
    const keys = [0, 1].flatMap((run) => [0, 1].map((stage) => ({ ...keyOf(0, 'released', stage), run })));
    for (const key of keys) await a.shuffle.store(key, session, rowsOf(0, 10), SHAPE);
    const kept = async () => {
      const there: string[] = [];
      for (const producer of keys) {
        const block = { producer, address: a.address, incarnation: a.shuffle.incarnation };
        const found = await a.shuffle.fetch(session, [block], SHAPE, signal).then(
          () => true,
          () => false,
        );
        if (found) there.push(`${producer.run}/${producer.stage}`);
      }
      return there;
    };
    await a.shuffle.release(asQueryId('another'));
    expect(await kept()).toHaveLength(4);
    await a.shuffle.release(asQueryId('released'), { run: 0, stages: [1] });
    expect(await kept()).toEqual(['0/0', '1/0', '1/1']);
    await a.shuffle.release(asQueryId('released'), { run: 1 });
    expect(await kept()).toEqual(['0/0']);
    await a.shuffle.release(asQueryId('released'));
    expect(await kept()).toEqual([]);
  });

  it('frees memory and disk space', async () => {
    const spilling = await openNode({ shuffle: { memoryBytes: 4 << 20 } });
    try {
      await spilling.store(0, rowsOf(0, 1_000_000), SHAPE, 'large');
      expect(spilling.shuffle.diskBytes).toBeGreaterThan(10e6);
      expect(spilling.shuffle.bytes - spilling.shuffle.diskBytes).toBeLessThanOrEqual(4 << 20);
      await spilling.shuffle.release(asQueryId('large'));
      expect([spilling.shuffle.bytes, spilling.shuffle.diskBytes]).toEqual([0, 0]);
    } finally {
      await spilling.close();
    }
  });

  it('stops an output that is still being produced', async () => {
    const session = await a.session();
    const slow = a.shuffle.store(keyOf(0, 'early'), session, rowsOf(0, 3_000_000), SHAPE);
    const failed = expect(slow).rejects.toMatchObject({ name: 'QUERY_CANCELLED' });
    await a.shuffle.release(asQueryId('early'));
    await failed;
    expect(a.shuffle.bytes).toBe(0);
  });
});

it('a query that fails leaves nothing', async () => {
  const session = await a.session();
  const failing = a.shuffle.store(
    keyOf(0, 'bad'),
    session,
    "SELECT range, CAST('x' AS INT)::VARCHAR FROM range(5)",
    SHAPE,
  );
  await expect(failing).rejects.toMatchObject({ name: 'CAST_ERROR' });
  await a.shuffle.store(keyOf(0, 'bad'), session, rowsOf(0, 5), SHAPE);
  await a.shuffle.release(asQueryId('bad'));
});
