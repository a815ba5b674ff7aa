import { afterAll, beforeAll, expect, it } from 'vitest';
import type { OutputShape } from '../index.ts';
import { openNode, type TestNode } from '../testing/shuffle-nodes.ts';

let a: TestNode;
let b: TestNode;
beforeAll(async () => {
  [a, b] = await Promise.all([openNode(), openNode()]);
});
afterAll(() => Promise.all([a.close(), b.close()]));

const { signal } = new AbortController();
const SHAPE: OutputShape = { columns: [{ name: 't', type: 'VARCHAR' }], hashKeys: [] };

it('a small output is whole for each of many readers, at once and later, until it is released', async () => {
  const piece = await a.store(0, `SELECT 'text ' || range FROM range(5000)`, SHAPE);
  const read = async () => {
    const session = await b.session();
    const { sql, rows } = await b.shuffle.fetch(session, [piece], SHAPE, signal);
    expect(rows).toBe(5000);
    return session.scalar(`SELECT count(DISTINCT t) FROM ${sql}`);
  };
  expect(await Promise.all([read(), read(), read(), read()])).toEqual([5000, 5000, 5000, 5000]);
  // The same bytes went out every time.
  expect(await read()).toBe(5000);
  await a.shuffle.release('query');
  await expect(read()).rejects.toMatchObject({ name: 'FETCH_FAILED' });
});

it('a reader that gives up does not take the rows from others', async () => {
  const piece = await a.store(1, 'SELECT range FROM range(5000)', SHAPE);
  const [first, second] = [await b.session(), await b.session()];
  const giving = new AbortController();
  const given = b.shuffle.fetch(first, [piece], SHAPE, giving.signal);
  const other = b.shuffle.fetch(second, [piece], SHAPE, signal);
  giving.abort();
  await expect(given).rejects.toThrow();
  expect((await other).rows).toBe(5000);
  await a.shuffle.release('query');
});
