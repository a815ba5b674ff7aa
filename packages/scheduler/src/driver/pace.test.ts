import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { paceFromNow } from './pace.ts';

test('work takes longer, the longer the thread waits for a processor while it works', () => {
  let times: { ran: number; waited: number } | undefined = { ran: 10, waited: 7 };
  const pace = paceFromNow(() => times);
  expect(pace()).toBe(1);
  times = { ran: 20, waited: 7 };
  expect(pace()).toBe(1);
  times = { ran: 20, waited: 47 };
  expect(pace()).toBe(3);
  times = undefined;
  expect(pace()).toBe(1);
});

test('Linux tells how long a thread waits', (t) => {
  if (!existsSync('/proc/thread-self/schedstat')) t.skip('the system does not tell');
  const pace = paceFromNow();
  const until = performance.now() + 20;
  while (performance.now() < until);
  expect(pace()).toBeGreaterThanOrEqual(1);
  expect(pace()).toBeLessThan(Number.POSITIVE_INFINITY);
});
