import type { ExecutionProgress } from '@tessera/scheduler';
import { expect, test } from 'vitest';
import { StatementProgress } from './statement-progress.ts';

const session = (fraction: number) => ({
  progress: async () => ({ fraction, rowsProcessed: 0, rowsTotal: 0 }),
});

const stages = (state: 'running' | 'finished', remainingMs: number): ExecutionProgress => ({
  stages: [{ stage: 0, state, tasks: 4, tasksFinished: 1, attempts: 4 }],
  remainingMs,
  lastMs: 200,
  nodes: 3,
  rowsRead: 70,
  bytesRead: 700,
});

test('on one node, the kernel says how far a statement is; it never goes back', async () => {
  const progress = new StatementProgress(() => 0);
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

test('the time before the kernel runs the statement counts', async () => {
  let nowMs = 0;
  const progress = new StatementProgress(() => nowMs);
  progress.begin();
  progress.observe(session(0.25));
  nowMs = 100;
  progress.willRead({ rows: 1000, bytesFromCache: 0, bytesFromStorage: 0, bytesFromFiles: 0 });
  nowMs = 200;
  // It has run for 100 of 400 ms, after 100 ms of planning.
  expect(await progress.now()).toMatchObject({ percent: 40 });
});

test('rows are read before all work is done', async () => {
  const progress = new StatementProgress(() => 0);
  progress.willRead({ rows: 1000, bytesFromCache: 100, bytesFromStorage: 0, bytesFromFiles: 0 });
  const written = { fraction: 0.4, read: 1, rowsProcessed: 0, rowsTotal: 0 };
  progress.observe({ progress: async () => written });
  expect(await progress.now()).toMatchObject({ percent: 40, rowsRead: 1000, bytesRead: 100 });
});

test('a kernel that does not know the progress, is gone, or does not answer leaves it unchanged', async () => {
  const progress = new StatementProgress(() => 0);
  progress.observe(session(0.5));
  await progress.now();
  progress.observe(session(-1));
  expect(await progress.now()).toMatchObject({ percent: 50 });
  progress.observe({ progress: () => Promise.reject(new Error('gone')) });
  expect(await progress.now()).toMatchObject({ percent: 50 });
  progress.observe({ progress: () => new Promise(() => {}) });
  expect(await progress.now()).toMatchObject({ percent: 50 });
});

test('an answer that the kernel gives late is there for the next reader', async () => {
  const progress = new StatementProgress(() => 0);
  const { promise, resolve } =
    Promise.withResolvers<Awaited<ReturnType<ReturnType<typeof session>['progress']>>>();
  let questions = 0;
  progress.observe({
    progress: () => {
      questions += 1;
      return questions === 1 ? promise : new Promise(() => {});
    },
  });
  expect(await progress.now()).toMatchObject({ percent: undefined });
  expect(await progress.now()).toMatchObject({ percent: undefined });
  expect(questions).toBe(1);
  resolve({ fraction: 0.5, rowsProcessed: 0, rowsTotal: 0 });
  await promise;
  expect(await progress.now()).toMatchObject({ percent: 50 });
});

test('on several nodes, the time that has passed is compared with the time that is left', async () => {
  let nowMs = 0;
  const progress = new StatementProgress(() => nowMs);
  progress.observe(session(0.5));
  nowMs = 400;
  progress.observeStages(() => stages('running', 400));
  expect(await progress.now()).toMatchObject({ percent: 40, nodes: 3, rowsRead: 70, bytesRead: 700 });
  // The stages take longer than expected.
  progress.observeStages(() => stages('running', 4000));
  expect(await progress.now()).toMatchObject({ percent: 40 });
  nowMs = 900;
  // Half of the last stage is left, which the session measures.
  progress.observeStages(() => stages('finished', 0));
  expect(await progress.now()).toMatchObject({ percent: 90 });
});

/** Runs a statement whose counts are given at these times, and returns what its reader sees at them. */
async function seen(
  text: string,
  counts: readonly (readonly [atMs: number, fraction: number])[],
  endMs: number,
) {
  let nowMs = 0;
  let counted = 0;
  const progress = new StatementProgress(() => nowMs);
  progress.begin();
  progress.run(text);
  progress.observe({ progress: async () => ({ fraction: counted, rowsProcessed: 0, rowsTotal: 0 }) });
  const percents: (number | undefined)[] = [];
  for (const [atMs, fraction] of counts) {
    [nowMs, counted] = [atMs, fraction];
    percents.push((await progress.now()).percent);
  }
  nowMs = endMs;
  progress.returns();
  return percents.map((percent) => percent && Math.round(percent));
}

test('a statement whose progress was read before is as far as its earlier runs were at the same counts', async () => {
  // The kernel counts nine tenths of the work in the first half of the time, and nothing for a while after that.
  const first = [
    [200, 0.4],
    [500, 0.9],
    [700, 0.9],
    [900, 0.95],
  ] as const;
  expect(await seen('SELECT a FROM t WHERE b = 1', first, 1000)).toEqual([40, 90, 90, 95]);
  expect(await seen('SELECT a FROM t WHERE b = 2', first, 1000)).toEqual([20, 50, 70, 90]);
  const twiceAsSlow = first.map(([atMs, fraction]) => [2 * atMs, fraction] as const);
  expect(await seen('SELECT a FROM t WHERE b = 3', twiceAsSlow, 2000)).toEqual([20, 50, 70, 90]);
  expect(await seen('SELECT a FROM t WHERE b = 4', first, 1000)).toEqual([20, 50, 70, 90]);
  expect(await seen('SELECT a FROM u WHERE b = 4', first, 1000)).toEqual([40, 90, 90, 95]);
});

test('a statement is never reported as complete before it is, also if it takes longer than its earlier runs', async () => {
  const first = [[300, 0.5]] as const;
  expect(await seen('SELECT 1 FROM slow', first, 500)).toEqual([50]);
  const slower = [
    [300, 0.5],
    [800, 0.9],
    [3000, 1],
    [3500, 1],
  ] as const;
  const percents = await seen('SELECT 2 FROM slow', slower, 4000);
  expect(percents[0]).toBe(60);
  expect(percents.slice(2)).toEqual([99, 99]);
  // Without an earlier run, the counts may be complete before the statement is.
  expect(await seen('SELECT 1 FROM late', [[300, 1]], 500)).toEqual([99]);
});

test('before anything is counted, the time that earlier runs took says how far a statement is', async () => {
  const counts = [
    [100, -1],
    [400, 0.5],
  ] as const;
  expect(await seen('SELECT 1 FROM v', counts, 800)).toEqual([undefined, 50]);
  expect(await seen('SELECT 2 FROM v', counts, 800)).toEqual([13, 50]);
});

test('a statement that ran before, without a reader, takes its time again, corrected by its counts', async () => {
  expect(await seen('SELECT 1 FROM w', [], 1000)).toEqual([]);
  const counts = [
    [200, -1],
    [300, 0.6],
    [1500, 0.9],
  ] as const;
  expect(await seen('SELECT 2 FROM w', counts, 1600)).toEqual([20, 56, 95]);
  // Short ones are not remembered.
  expect(await seen('SELECT 1 FROM x', [], 200)).toEqual([]);
  expect(await seen('SELECT 2 FROM x', [[100, 0.5]], 200)).toEqual([50]);
});

test('on several nodes, the counts of earlier runs and their time both say how far a statement is', async () => {
  for (const [runs, percent] of [
    [0, 50],
    // 400 of 600 ms have passed, so it is at 67 % by the time of the earlier run, and was at 67 % when it had counted as much.
    [1, 67],
  ] as const) {
    let nowMs = 0;
    const progress = new StatementProgress(() => nowMs);
    progress.begin();
    progress.run(`SELECT ${runs} FROM z`);
    progress.observeStages(() => stages('running', 200));
    nowMs = 400;
    expect(Math.round((await progress.now()).percent!)).toBe(percent);
    nowMs = 600;
    progress.returns();
  }
});
