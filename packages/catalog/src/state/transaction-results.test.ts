import { expect, test } from 'vitest';
import { TransactionResults } from './transaction-results.ts';

const HOUR = 3_600_000;

test('remembers for 24 hours', () => {
  let results = TransactionResults.empty.with('a', 1, 0).with('b', 2, HOUR / 2);
  for (let i = 0; i < 5_000; i++) results = results.with(`txn-${i}`, 3, 24 * HOUR);
  expect([results.get('a'), results.get('b'), results.get('txn-0')]).toEqual([1, 2, 3]);
  results = results.with('d', 4, 25 * HOUR);
  expect([results.get('a'), results.get('b'), results.get('txn-0')]).toEqual([undefined, undefined, 3]);
});

test('remembers the newest result however far the clock jumps', () => {
  let results = TransactionResults.empty;
  for (let i = 0; i < 4_096; i++) results = results.with(`txn-${i}`, i, i * 100 * HOUR);
  expect(results.get('txn-0')).toBe(0);
});

test('a busy day keeps the newest quarter of a million', () => {
  let results = TransactionResults.empty;
  for (let i = 0; i < 300_000; i++) results = results.with(`txn-${i}`, i, i);
  expect(results.size).toBeLessThanOrEqual(262_144);
  expect(results.get(`txn-${300_000 - 245_760}`)).toBe(300_000 - 245_760);
  expect(results.get('txn-0')).toBeUndefined();
});

test('earlier results are not changed', () => {
  const before = TransactionResults.empty.with('a', 1, 0);
  before.with('b', 2, 0);
  expect(before.get('b')).toBeUndefined();
});
