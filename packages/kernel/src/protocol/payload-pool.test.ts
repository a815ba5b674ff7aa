import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
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

const MIB = 1 << 20;
/** A pool over registered memory of 2 MiB. */
function registeredPool(): PayloadPool {
  const pool = new PayloadPool();
  pool.register({ bytes: 2 * MIB, view: (_, bytes) => new ArrayBuffer(bytes) });
  return pool;
}

test('payloads are in registered memory while it has room, then in ordinary memory', () => {
  const pool = registeredPool();
  const taken = [pool.take(MIB), pool.take(MIB), pool.take(MIB)];
  expect(taken.map((payload) => pool.isRegistered(payload))).toEqual([true, true, false]);
  pool.give(taken[2]!);
  pool.give(taken[1]!);
  const again = pool.take(MIB - 1);
  expect([again.length, again.buffer === taken[1]!.buffer]).toEqual([MIB - 1, true]);
  pool.register(undefined);
  expect(pool.isRegistered(pool.take(MIB))).toBe(false);
});

test('registered memory is divided again when all of it is free and no buffer fits', () => {
  const pool = registeredPool();
  const small = Array.from({ length: 8 }, () => pool.take(MIB / 4));
  expect(small.every((payload) => pool.isRegistered(payload))).toBe(true);
  for (const payload of small.slice(1)) pool.give(payload);
  expect(pool.isRegistered(pool.take(MIB))).toBe(false);
  pool.give(small[0]!);
  const large = pool.take(MIB);
  expect(pool.isRegistered(large)).toBe(true);
  // A buffer of more than twice the size would be wasted on it.
  expect(pool.isRegistered(pool.take(3 * MIB))).toBe(false);
  pool.give(large);
  expect(pool.take(MIB / 4).buffer.byteLength).toBeLessThan(MIB);
});

test('a registered buffer that nobody gave back is used again once it is garbage', async () => {
  const pool = registeredPool();
  (() => void [pool.take(MIB), pool.take(MIB)])();
  expect(pool.isRegistered(pool.take(MIB))).toBe(false);
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  await expect
    .poll(() => {
      collect();
      return pool.isRegistered(pool.take(MIB));
    })
    .toBe(true);
});
