import type { Stage } from '@tessera/planner';
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
import type { SchedulerState, StageState, TaskState } from '../state/scheduler-state.ts';
import { PlanRun } from './plan-run.ts';
import { RunProgress, TaskSpeed } from './run-progress.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

test('the progress of a run is computed when it is asked for, also when the run has ended', async () => {
  const cluster = new MemoryCluster(2);
  const gate = Promise.withResolvers<void>();
  cluster.hook = ({ key }) => (key.stage === 0 && key.task === 1 ? gate.promise : undefined);
  const stages = [
    stage(0, 'source', [scan('t')]),
    stage(1, 'single', [exchange(0, 'gather')]),
    stage(2, 'coordinator', [exchange(1, 'gather')]),
  ];
  let progress!: () => ExecutionProgress;
  const onRun = (asked: () => ExecutionProgress) => {
    progress = asked;
  };
  const run = new PlanRun(executionOf(stages, { t: 8 }, { onRun }), executingOn(cluster), {}).run();
  expect(progress()).toMatchObject({ percent: 0, nodes: 0 });
  await vi.advanceTimersByTimeAsync(0);
  const { percent, ...others } = progress();
  expect(percent).toBe(25);
  expect(others).toEqual({
    stages: [
      { stage: 0, state: 'running', tasks: 2, tasksFinished: 1, attempts: 2 },
      { stage: 1, state: 'waiting', tasks: 0, tasksFinished: 0, attempts: 0 },
    ],
    lastShare: 1 / 3,
    nodes: 2,
    rowsRead: 0,
    bytesRead: 0,
  });
  gate.resolve();
  await run;
  expect(progress().percent).toBe(100);
  expect(progress().stages.map(({ state }) => state)).toEqual(['finished', 'finished']);
});

test('a stage counts by its estimated work', async () => {
  const cluster = new MemoryCluster(2);
  const gate = Promise.withResolvers<void>();
  cluster.hook = ({ key }) => (key.stage === 1 ? gate.promise : undefined);
  let progress!: () => ExecutionProgress;
  const work = [30, 10, 60];
  const stages = [
    stage(0, 'source', [scan('t')]),
    stage(1, 'single', [exchange(0, 'gather')]),
    stage(2, 'coordinator', [exchange(1, 'gather')]),
  ].map((one, i) => ({ ...one, estimate: { ...one.estimate, cpuMs: work[i] } }));
  const onRun = (asked: () => ExecutionProgress) => {
    progress = asked;
  };
  const run = new PlanRun(executionOf(stages, { t: 8 }, { onRun }), executingOn(cluster), {}).run();
  await vi.advanceTimersByTimeAsync(0);
  expect(progress()).toMatchObject({ percent: 75, lastShare: 0.6 });
  gate.resolve();
  await run;
});

/** A run of a stage with two tasks of 100 ms each by its estimate, and the clock that it sees. */
function twoTasks(usual = new TaskSpeed()) {
  const clock = { nowMs: 0 };
  const progress = new RunProgress(usual, () => clock.nowMs);
  const running = (stage: number, tasks: number, succeeded: number, cpuMs: number): Partial<StageState> => ({
    stage: { id: stage, estimate: { rows: 1, bytes: 1, cpuMs } } as Stage,
    status: 'started',
    tasks: Array.from({ length: tasks }, () => ({ attempt: 0 }) as TaskState),
    succeeded,
    finished: undefined,
  });
  const change = (first: number) =>
    progress.changed({
      plan: { stages: [{ id: 0 }, { id: 1 }] },
      positions: new Map([
        [0, 0],
        [1, 1],
      ]),
      stages: [running(0, 2, first, 200), running(1, 0, 0, 0.001)],
      nodes: [],
    } as unknown as SchedulerState);
  change(0);
  return { clock, progress, change };
}
const task = (number: number) => ({ stage: 0, task: number, attempt: 0 });

test('a task that reports nothing counts by the time that it is expected to take', () => {
  const { clock, progress, change } = twoTasks();
  progress.began(task(0));
  clock.nowMs = 50;
  // Nothing is known about the speed of the tasks.
  expect(progress.now().percent).toBe(0);
  clock.nowMs = 400;
  progress.ended(task(0));
  change(1);
  progress.began(task(1));
  expect(progress.now().percent).toBeCloseTo(50, 0);
  // The first task took 400 ms, so the second one is expected to.
  clock.nowMs = 600;
  expect(progress.now().percent).toBeCloseTo(75, 0);
  progress.reported(task(1), 80);
  expect(progress.now().percent).toBeCloseTo(90, 0);
  progress.reported(task(1), 20);
  expect(progress.now().percent).toBeCloseTo(90, 0);
});

test('the first tasks of a run are expected to be as fast as those of earlier runs', () => {
  const usual = new TaskSpeed();
  for (let earlier = 0; earlier < 5; earlier++) usual.measured(10_000, 1_000);
  // The machine has become faster since: the latest tasks count most.
  for (let later = 0; later < 5; later++) usual.measured(10_000, 5_000);
  expect(usual.factor).toBeCloseTo(2, 0);
  const { clock, progress } = twoTasks(usual);
  progress.began(task(0));
  clock.nowMs = 100;
  expect(progress.now().percent).toBeGreaterThan(20);
  expect(progress.now().percent).toBeLessThan(30);
});

test('a task goes on between its reports, but not for long without one', () => {
  const { clock, progress } = twoTasks();
  progress.began(task(0));
  clock.nowMs = 400;
  progress.reported(task(0), 40);
  clock.nowMs = 500;
  // It has done 50 % of the task, which is a half of the stage.
  expect(progress.now().percent).toBeCloseTo(25, 0);
  clock.nowMs = 60_000;
  expect(progress.now().percent).toBeLessThan(45);
});

test('a task that begins another statement does not lose what it has reported', () => {
  const { clock, progress } = twoTasks();
  progress.began(task(0));
  clock.nowMs = 400;
  progress.reported(task(0), 60);
  progress.reported(task(0), 0);
  expect(progress.now().percent).toBeCloseTo(30, 0);
});
