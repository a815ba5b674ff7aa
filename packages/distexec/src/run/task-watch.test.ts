import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { TaskProgress } from '../dist-exec.ts';
import { TaskWatch } from './task-watch.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A task whose progress is always a quarter. */
function watched() {
  const progress = vi.fn(async (_planned: boolean) => ({ fraction: 0.25, rowsProcessed: 1, rowsTotal: 4 }));
  const memory = { begin: () => vi.fn(), spilledBytes: 100 };
  const percents: (number | undefined)[] = [];
  const watch = new TaskWatch({
    memory,
    session: { progress },
    cpu: { ms: () => 70 },
    onProgress: ({ percent }) => percents.push(percent),
  });
  return { watch, memory, progress, percents };
}

it('the kernel plans a task again for its progress only after more than a third of a second', async () => {
  const { watch, progress } = watched();
  await vi.advanceTimersByTimeAsync(300);
  watch.end();
  expect(progress.mock.calls).toEqual([[false]]);
  await vi.advanceTimersByTimeAsync(5_000);
  expect(progress).toHaveBeenCalledTimes(1);
});

it('the kernel plans a longer task again for its progress', async () => {
  const { watch, progress } = watched();
  await vi.advanceTimersByTimeAsync(700);
  watch.end();
  expect(progress.mock.calls).toEqual([[false], [true], [true]]);
});

it('the progress of a longer task is reported until it ends', async () => {
  const { watch, percents } = watched();
  await vi.advanceTimersByTimeAsync(1_000);
  watch.end();
  const told = [...percents];
  expect(new Set(told)).toEqual(new Set([25]));
  await vi.advanceTimersByTimeAsync(5_000);
  expect(percents).toEqual(told);
});

it('the CPU time of a task is reported, without a percentage that is a guess', async () => {
  const counts = { fraction: 0.25, rowsProcessed: 1, rowsTotal: 4 };
  const progress = vi.fn(async (planned: boolean) => ({ ...counts, isGuess: planned }));
  const reports: TaskProgress[] = [];
  const memory = { begin: () => vi.fn(), spilledBytes: undefined };
  const watch = new TaskWatch({
    memory,
    session: { progress },
    cpu: { ms: () => 70 },
    onProgress: (report) => reports.push(report),
  });
  await vi.advanceTimersByTimeAsync(400);
  watch.end();
  expect(reports).toEqual([
    { percent: 25, cpuMs: 70 },
    { percent: undefined, cpuMs: 70 },
  ]);
});

it('counts what the spill files grow by during the task', async () => {
  const { watch, memory } = watched();
  await vi.advanceTimersByTimeAsync(200);
  memory.spilledBytes = 350;
  await vi.advanceTimersByTimeAsync(200);
  memory.spilledBytes = 50;
  await vi.advanceTimersByTimeAsync(200);
  expect(watch.spilledBytes).toBe(250);
  watch.end();
});
