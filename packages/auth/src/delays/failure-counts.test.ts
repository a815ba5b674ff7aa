import { expect, it } from 'vitest';
import { FailureCounts } from './failure-counts.ts';

it('remembers a bounded number of keys: those with the latest failures', () => {
  const counts = new FailureCounts({ free: 0, firstDelayMs: 1, maxDelayMs: 8, forgetMs: 1000, maxKeys: 3 });
  for (const key of ['a', 'b', 'c', 'a', 'd']) counts.failed(key, 0);
  expect(['a', 'b', 'c', 'd'].map((key) => counts.delayMs(key, 0))).toEqual([2, 0, 1, 1]);
});
