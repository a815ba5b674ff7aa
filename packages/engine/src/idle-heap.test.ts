import { expect, test } from 'vitest';
import { IdleHeap } from './idle-heap.ts';

test('the heap is collected once after each time of work', () => {
  let [cpu, now, collected] = [3, 0, 0];
  const heap = new IdleHeap({
    cpuSeconds: () => cpu,
    seconds: () => now,
    collect: () => {
      collected += 1;
    },
  });
  const after = (cpuSeconds: number) => {
    cpu += cpuSeconds;
    now += 10;
    heap.check();
    return collected;
  };
  expect(after(2)).toBe(0);
  expect(after(0.1)).toBe(1);
  expect(after(0.1)).toBe(1);
  expect(after(5)).toBe(1);
  expect(after(0.6)).toBe(1);
  expect(after(0)).toBe(2);
  expect(after(0)).toBe(2);
});
