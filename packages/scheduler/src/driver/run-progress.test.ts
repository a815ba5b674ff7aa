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
import { LearnedSpeed } from './learned-speed.ts';
import { PlanRun } from './plan-run.ts';
import { RunProgress } from './run-progress.ts';

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
  const first = progress();
  expect(first.nodes).toBe(0);
  await vi.advanceTimersByTimeAsync(0);
  const { remainingMs, lastMs, ...others } = progress();
  // How much depends on the runs before, which the other tests determine.
  expect(remainingMs).toBeGreaterThan(0);
  expect(lastMs).toBeGreaterThan(0);
  expect(others).toEqual({
    stages: [
      { stage: 0, state: 'running', tasks: 2, tasksFinished: 1, attempts: 2 },
      { stage: 1, state: 'waiting', tasks: 0, tasksFinished: 0, attempts: 0 },
    ],
    nodes: 2,
    rowsRead: 0,
    bytesRead: 0,
  });
  gate.resolve();
  await run;
  expect(progress().remainingMs).toBe(0);
  expect(progress().stages.map(({ state }) => state)).toEqual(['finished', 'finished']);
});

/**
 * A run of two tasks of 100 ms of work each, a stage of 300 ms, one of 200 ms that cannot use all nodes, and a root of 60 ms; and
 * the clock that it sees.
 */
function fourStages(speed = new LearnedSpeed()) {
  const clock = { nowMs: 0 };
  const progress = new RunProgress(() => clock.nowMs, speed);
  const state = (
    stage: Pick<Stage, 'id' | 'partitioning'>,
    cpuMs: number,
    tasks = 0,
    succeeded = 0,
  ): Partial<StageState> => ({
    stage: { ...stage, sources: [], estimate: { rows: 1, bytes: 1, cpuMs } } as never,
    status: tasks > 0 ? 'started' : 'blocked',
    tasks: Array.from({ length: tasks }, () => ({ attempt: 0 }) as TaskState),
    succeeded,
    finished: tasks > 0 && succeeded === tasks ? { rows: 1, bytes: 1, summaries: [] } : undefined,
  });
  /** @param later the estimated work of the second stage, which changes when the plan is refined */
  const change = (succeeded: number, later = 300) =>
    progress.changed({
      plan: { stages: [{ id: 0 }, { id: 1 }, { id: 2 }, { id: 3 }] },
      positions: new Map([0, 1, 2, 3].map((id) => [id, id])),
      stages: [
        state({ id: 0, partitioning: 'source' }, 200, 2, succeeded),
        state({ id: 1, partitioning: 'hash' }, later),
        state({ id: 2, partitioning: 'single' }, 200),
        state({ id: 3, partitioning: 'coordinator' }, 60),
      ],
      nodes: [],
    } as unknown as SchedulerState);
  change(0);
  return { clock, progress, change, remaining: () => progress.now().remainingMs };
}
/** Within a tenth: the first tasks are mixed with assumptions. */
const expectAbout = (actual: number, expected: number) =>
  expect(Math.abs(actual / expected - 1)).toBeLessThan(0.1);
const task = (number: number) => ({ stage: 0, task: number, attempt: 0 });

test('the stages that are left count by the work that the latest plan estimates', () => {
  const { progress, change, remaining } = fourStages();
  expect(remaining()).toBeCloseTo(200 + 300 + 200, 6);
  expect(progress.now().lastMs).toBeCloseTo(60, 6);
  change(0, 900);
  expect(remaining()).toBeCloseTo(200 + 900 + 200, 6);
});

test('before tasks are measured, they are expected to be as fast as those of earlier runs', () => {
  const speed = new LearnedSpeed();
  speed.learn('divided', { ms: 1_500, cpuMs: 500, workMs: 500 });
  const { clock, progress, change, remaining } = fourStages(speed);
  expect(remaining()).toBeCloseTo(3 * (200 + 300) + 200, 6);
  progress.began(task(0));
  clock.nowMs = 1_000;
  progress.ended(task(0), 1_000);
  change(1, 1e-3);
  progress.close();
  // This run has needed as much time as CPU time, but ten times the CPU time that was estimated.
  expect(speed.of('divided').msPerCpu).toBeLessThan(2);
  expect(speed.of('divided').cpuPerWork).toBeGreaterThan(3);
  expect(speed.of('alone')).toEqual({ msPerCpu: 1, cpuPerWork: 1 });
});

test('the time that tasks of a run have taken for their CPU time says how fast others of the same kind are', () => {
  const { clock, progress, change, remaining } = fourStages();
  progress.began(task(0));
  clock.nowMs = 400;
  progress.ended(task(0), 100);
  change(1);
  // They need about four times as much time as CPU time, but for the stage that cannot use all nodes.
  expect(remaining()).toBeGreaterThan(0.85 * (4 * (100 + 300) + 200));
  expect(remaining()).toBeLessThan(4 * (100 + 300) + 200);
});

test('a task needs as much CPU time as those of its stage that have ended, but other stages nearly what is estimated', () => {
  const { clock, progress, change, remaining } = fourStages();
  progress.began(task(0));
  clock.nowMs = 1_000;
  progress.ended(task(0), 1_000);
  change(1, 1e-3);
  const ofSecond = remaining() - 200;
  expect(ofSecond).toBeGreaterThan(600);
  expect(ofSecond).toBeLessThan(1_000);
  change(1, 300);
  const ofOthers = remaining() - ofSecond - 200;
  expect(ofOthers).toBeGreaterThan(300);
  expect(ofOthers).toBeLessThan(600);
});

test('a run learns where the system tells no CPU time', () => {
  const { clock, progress, change, remaining } = fourStages();
  progress.began(task(0));
  clock.nowMs = 300;
  progress.ended(task(0), 0);
  change(1, 1e-3);
  expect(remaining() - 200).toBeGreaterThan(200);
  progress.began(task(1));
  progress.reported(task(1), { percent: 50 });
  expect(remaining()).toBeGreaterThan(200);
});

test('tasks that run at the same time share it', () => {
  const { clock, progress, remaining } = fourStages();
  progress.began(task(0));
  progress.began(task(1));
  clock.nowMs = 60;
  // Each of them has had 30 of its 100 ms.
  expect(remaining()).toBeCloseTo(140 + 300 + 200, 6);
});

test('a task without a report is not expected to end before it has run twice as long', () => {
  const { clock, progress, remaining } = fourStages();
  progress.began(task(0));
  clock.nowMs = 1000;
  expect(remaining()).toBeCloseTo(1000 + 100 + 300 + 200, 6);
});

test('a task that reports its progress needs the longer, the longer it has taken for that', () => {
  const ofFirst = (ms: number, percent: number) => {
    const { clock, progress, change, remaining } = fourStages();
    change(1, 1e-3);
    progress.began(task(0));
    clock.nowMs = ms;
    progress.reported(task(0), { percent, cpuMs: ms });
    // It begins another statement.
    progress.reported(task(0), { percent: 0, cpuMs: ms });
    return remaining() - 200;
  };
  expect(ofFirst(50, 50)).toBeCloseTo(50, -1);
  // A part has taken twenty times as long as estimated, but that need not hold for the rest, unless little is left.
  expect(ofFirst(1000, 50)).toBeGreaterThan(200);
  expect(ofFirst(1000, 50)).toBeLessThan(500);
  expect(ofFirst(1000, 90)).toBeGreaterThan(85);
  expect(ofFirst(1000, 90)).toBeLessThan(111);
});

test('a task that counts nothing is as far as its CPU time is in relation to the estimated work', () => {
  const { clock, progress, change, remaining } = fourStages();
  change(1, 1e-3);
  progress.began(task(0));
  // The machine has several processors: half of the 100 ms of estimated work took 20 ms.
  clock.nowMs = 20;
  progress.reported(task(0), { cpuMs: 50 });
  const early = remaining() - 200;
  expect(early).toBeGreaterThan(20);
  expect(early).toBeLessThan(50);
  clock.nowMs = 400;
  progress.reported(task(0), { cpuMs: 1_000 });
  // It is overdue: how long it has taken is all that is known.
  expectAbout(remaining() - 200, 0.4 * 400);
});

test('a task goes on between its reports, but not for long without one', () => {
  const { clock, progress, remaining } = fourStages();
  progress.began(task(0));
  clock.nowMs = 40;
  progress.reported(task(0), { percent: 40, cpuMs: 40 });
  const reported = remaining();
  clock.nowMs = 60;
  expect(remaining()).toBeLessThan(reported);
  const later = remaining();
  clock.nowMs = 60_000;
  expect(remaining()).toBeLessThanOrEqual(later);
  expect(remaining()).toBeGreaterThan(100 + 300 + 200);
});
