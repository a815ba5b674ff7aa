import type { ExecutionProgress } from '@tessera/scheduler';
import { expect, test } from 'vitest';
import { StatementProgress } from './statement-progress.ts';

const session = (fraction: number) => ({
  progress: async () => ({ fraction, rowsProcessed: 0, rowsTotal: 0 }),
});

const stages = (state: 'running' | 'finished', percent: number): ExecutionProgress => ({
  stages: [{ stage: 0, state, tasks: 4, tasksFinished: 1, attempts: 4 }],
  percent,
  lastShare: 0.2,
  nodes: 3,
  rowsRead: 70,
  bytesRead: 700,
});

test('on one node, the kernel says how far a statement is; it never goes back', async () => {
  const progress = new StatementProgress();
  expect(await progress.now()).toEqual({
    percent: undefined,
    stages: [],
    nodes: 1,
    rowsRead: 0,
    bytesRead: 0,
  });
  progress.willRead({ rows: 1000, bytesFromCache: 100, bytesFromStorage: 200, bytesFromFiles: 0 });
  progress.observe(session(0.5));
  expect(await progress.now()).toMatchObject({ percent: 50, rowsRead: 500, bytesRead: 150 });
  const end = progress.observe(session(0.25));
  expect(await progress.now()).toMatchObject({ percent: 50 });
  end();
  expect(progress.isObserved).toBe(false);
  expect(await progress.now()).toMatchObject({ percent: 50 });
  progress.begin();
  expect(await progress.now()).toMatchObject({ percent: undefined, rowsRead: 0 });
});

test('a kernel that does not know it, is gone, or does not answer leaves it as it was', async () => {
  const progress = new StatementProgress();
  progress.observe(session(0.5));
  await progress.now();
  progress.observe(session(-1));
  expect(await progress.now()).toMatchObject({ percent: 50 });
  progress.observe({ progress: () => Promise.reject(new Error('gone')) });
  expect(await progress.now()).toMatchObject({ percent: 50 });
  progress.observe({ progress: () => new Promise(() => {}) });
  expect(await progress.now()).toMatchObject({ percent: 50 });
});

test('on several nodes, the last stage has its share of the work', async () => {
  const progress = new StatementProgress();
  progress.observe(session(0.5));
  progress.stagesRan(stages('running', 50));
  expect(await progress.now()).toMatchObject({ percent: 40, nodes: 3, rowsRead: 70, bytesRead: 700 });
  progress.stagesRan(stages('finished', 100));
  expect(await progress.now()).toMatchObject({ percent: 90 });
});
