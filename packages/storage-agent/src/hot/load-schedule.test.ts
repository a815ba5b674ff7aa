import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { LoadSchedule } from './load-schedule.ts';
import type { ResidentTableKey } from './resident-table.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const T = 't' as ResidentTableKey;

test('a change that no scan needs waits longer, until one needs it', () => {
  const started: [string, number][] = [];
  const start = performance.now();
  const schedule = new LoadSchedule((key) => started.push([key, performance.now() - start]));
  schedule.addChange(T, 0, false);
  vi.advanceTimersByTime(500);
  expect(started).toEqual([]);
  schedule.addChange(T, 10, true);
  // Neither of these delays the change.
  schedule.addChange(T, 1_000, true);
  schedule.addChange(T, 0, false);
  expect(schedule.size).toBe(1);
  vi.advanceTimersByTime(2_000);
  expect(started).toEqual([[T, 540]]);
  schedule.addChange(T, 0, false);
  vi.advanceTimersByTime(2_000);
  expect(started).toEqual([
    [T, 540],
    [T, 3_500],
  ]);
  expect(schedule.size).toBe(0);
});
