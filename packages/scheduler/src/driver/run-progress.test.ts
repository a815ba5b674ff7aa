import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import {
  exchange,
  executingOn,
  executionOf,
  MemoryCluster,
  scan,
  stage,
} from '../../test/driver/memory-cluster.ts';
import type { ExecutionProgress } from '../stage-execution.ts';
import { PlanRun } from './plan-run.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

test('progress is told at most ten times a second, with what running tasks tell, and once more at the end', async () => {
  const cluster = new MemoryCluster(2);
  const gate = Promise.withResolvers<void>();
  cluster.hook = ({ key }) => (key.stage === 0 && key.task === 1 ? gate.promise : undefined);
  const told: ExecutionProgress[] = [];
  const stages = [
    stage(0, 'source', [scan('t')]),
    stage(1, 'single', [exchange(0, 'gather')]),
    stage(2, 'coordinator', [exchange(1, 'gather')]),
  ];
  const onProgress = (progress: ExecutionProgress) => told.push(progress);
  const run = new PlanRun(executionOf(stages, { t: 8 }, { onProgress }), executingOn(cluster), {}).run();
  await vi.advanceTimersByTimeAsync(99);
  expect(told).toEqual([]);
  await vi.advanceTimersByTimeAsync(1);
  expect(told).toEqual([
    {
      percent: 25,
      stages: [
        { stage: 0, state: 'running', tasks: 2, tasksFinished: 1, attempts: 2 },
        { stage: 1, state: 'waiting', tasks: 0, tasksFinished: 0, attempts: 0 },
      ],
      lastShare: 1 / 3,
      nodes: 2,
      rowsRead: 0,
      bytesRead: 0,
    },
  ]);
  gate.resolve();
  await run;
  await vi.advanceTimersByTimeAsync(1_000);
  expect(told).toHaveLength(2);
  expect(told[1]!.percent).toBe(100);
  expect(told[1]!.stages.map(({ state }) => state)).toEqual(['finished', 'finished']);
});

test('a stage counts by its estimated work', async () => {
  const cluster = new MemoryCluster(2);
  const gate = Promise.withResolvers<void>();
  cluster.hook = ({ key }) => (key.stage === 1 ? gate.promise : undefined);
  const told: ExecutionProgress[] = [];
  const work = [30, 10, 60];
  const stages = [
    stage(0, 'source', [scan('t')]),
    stage(1, 'single', [exchange(0, 'gather')]),
    stage(2, 'coordinator', [exchange(1, 'gather')]),
  ].map((one, i) => ({ ...one, estimate: { ...one.estimate, cpuMs: work[i] } }));
  const onProgress = (progress: ExecutionProgress) => told.push(progress);
  const run = new PlanRun(executionOf(stages, { t: 8 }, { onProgress }), executingOn(cluster), {}).run();
  await vi.advanceTimersByTimeAsync(100);
  expect(told).toMatchObject([{ percent: 75, lastShare: 0.6 }]);
  gate.resolve();
  await run;
});
