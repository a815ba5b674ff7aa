import { expect, test } from 'vitest';
import { PayloadPool } from './payload-pool.ts';

const LARGE = 300_000;

test('a returned large buffer is reused in the requested size', () => {
  const pool = new PayloadPool();
  const first = pool.take(LARGE);
  expect(first.length).toBe(LARGE);
  pool.give(first);
  const smaller = pool.take(LARGE - 1);
  expect(smaller.length).toBe(LARGE - 1);
  expect(smaller.buffer).toBe(first.buffer);
  expect(pool.take(LARGE).buffer).not.toBe(first.buffer);
});

test('a buffer that is too small for the request stays in the pool', () => {
  const pool = new PayloadPool();
  const first = pool.take(LARGE);
  pool.give(first);
  expect(pool.take(10 * LARGE).length).toBe(10 * LARGE);
  expect(pool.take(LARGE).buffer).toBe(first.buffer);
});

test('the pool is bounded and does not keep small buffers', () => {
  const pool = new PayloadPool();
  const taken = Array.from({ length: 100 }, () => pool.take(1_000_000));
  for (const buffer of taken) pool.give(buffer);
  const again = new Set(Array.from({ length: 100 }, () => pool.take(1_000_000).buffer));
  expect(taken.filter((buffer) => again.has(buffer.buffer)).length).toBeLessThanOrEqual(16);
  const small = pool.take(10);
  pool.give(small);
  expect(pool.take(10).buffer).not.toBe(small.buffer);
});
