import { TesseraError } from '@tessera/common';
import {
  executePlan,
  executePlanWith,
  type FaultType,
  type InjectedFault,
  type PlanExecution,
  profileText,
  type RefinementFailure,
  refinementFailures,
} from '@tessera/scheduler';
import { expect, test, vi } from 'vitest';
import {
  exchange,
  executingOn,
  executionOf,
  MemoryCluster,
  scan,
  sortedRows,
  stage,
} from './memory-cluster.ts';

const SCAN = stage(0, 'source', [scan('t')]);
const GROUPS = stage(1, 'hash', [exchange(0, 'hash')]);
const ONE = stage(1, 'coordinator', [exchange(0, 'gather')]);
const ROOT = stage(2, 'coordinator', [exchange(1, 'gather')]);

test('stages run in order with one task per node, and the root reads all rows', async () => {
  const cluster = new MemoryCluster(3);
  const executed = await executePlan(executionOf([SCAN, GROUPS, ROOT], { t: 100 }), executingOn(cluster));
  expect(executed.root.sql).toBe(sortedRows(100));
  expect(executed.profiles).toMatchObject([
    { stage: 0, tasks: 3, tasksFinished: 3, attempts: 3, state: 'finished' },
    { stage: 1, tasks: 3, tasksFinished: 3, attempts: 3, state: 'finished' },
  ]);
  expect(profileText(executed)[1]).toMatch(
    /^stage 1: 3 tasks, 100 rows, 100\.0 MiB, cpu 3 ms, time .* ms, skew 1\.0\d$/,
  );
  // Outputs that all readers had read were released before.
  expect(cluster.released).toEqual(['n0', 'n1', 'n2'].map((name) => `${name} q run 1 stages 0`));
  cluster.released.length = 0;
  await executed.release();
  expect(cluster.released).toEqual(['n0', 'n1', 'n2'].map((name) => `${name} q run 1 stages all`));
});

test('stages that do not depend on each other run at the same time', async () => {
  const cluster = new MemoryCluster(2);
  const both = Promise.withResolvers<void>();
  cluster.hook = ({ key }) => {
    if (cluster.begun.length === 4) both.resolve();
    return key.stage < 2 ? both.promise : undefined;
  };
  const stages = [
    SCAN,
    stage(1, 'source', [scan('u')]),
    stage(2, 'coordinator', [exchange(0, 'gather'), exchange(1, 'gather')]),
  ];
  const executed = await executePlan(executionOf(stages, { t: 4, u: 4 }), executingOn(cluster));
  expect(executed.root.fetchedRows).toBe(8);
});

test('stages of the session run one after the other', async () => {
  const cluster = new MemoryCluster(2);
  let running = 0;
  let most = 0;
  cluster.hook = async () => {
    most = Math.max(most, ++running);
    await new Promise(setImmediate);
    running--;
  };
  const local = { kind: 'session', sql: 'uploaded' } as const;
  const stages = [
    stage(0, 'coordinator', [local]),
    stage(1, 'coordinator', [local]),
    stage(2, 'coordinator', [exchange(0, 'gather'), exchange(1, 'gather')]),
  ];
  const executed = await executePlan(executionOf(stages, {}), executingOn(cluster));
  expect(executed.root.fetchedRows).toBe(2);
  expect(most).toBe(1);
});

test('an empty table is scanned by one task', async () => {
  const cluster = new MemoryCluster(3);
  const executed = await executePlan(executionOf([SCAN, GROUPS, ROOT], { t: 0 }), executingOn(cluster));
  expect(executed.root.fetchedRows).toBe(0);
  expect(cluster.begun).toEqual(['n0 0/0/0', 'n0 1/0/0']);
});

test('a plan is refined with the sizes of finished stages', async () => {
  const cluster = new MemoryCluster(3);
  const refine = vi.fn((plan) => ({
    ...plan,
    stages: [SCAN, stage(1, 'single', [exchange(0, 'gather')]), ROOT],
  }));
  const executed = await executePlan(
    executionOf([SCAN, GROUPS, ROOT], { t: 9 }, { refine }),
    executingOn(cluster),
  );
  expect(executed.profiles[1]).toMatchObject({ stage: 1, tasks: 1 });
  expect(refine.mock.calls[0]!.slice(1)).toEqual([new Map([[0, { rows: 9, bytes: 9 << 20 }]]), new Set([0])]);
});

test('a run continues with its plan if the planner cannot refine it, and reports why', async () => {
  const failures: RefinementFailure[] = [];
  const stop = refinementFailures.listen((failure) => failures.push(failure));
  const defect = new RangeError('Nothing to read for input 3');
  const refine = vi.fn(() => {
    throw defect;
  });
  try {
    const execution = executionOf([SCAN, GROUPS, ROOT], { t: 9 }, { refine });
    const executed = await executePlan(execution, executingOn(new MemoryCluster(3)));
    expect(executed.root.sql).toBe(sortedRows(9));
    expect(refine).toHaveBeenCalled();
    expect(failures[0]).toEqual({ queryId: execution.queryId, err: defect });
  } finally {
    stop();
  }
});

test('tasks and outputs of a lost node are executed again elsewhere', async () => {
  const cluster = new MemoryCluster(3);
  cluster.hook = ({ key }, node) => {
    if (key.stage === 1 && node.name === 'n2' && key.attempt === 0) cluster.lose('n2');
  };
  const executed = await executePlan(executionOf([SCAN, GROUPS, ROOT], { t: 100 }), executingOn(cluster));
  expect(executed.root.sql).toBe(sortedRows(100));
  expect(executed.profiles[0]).toMatchObject({ tasks: 3, attempts: 4 });
  expect(executed.profiles.flatMap(({ tasksByNode }) => tasksByNode.map(({ node }) => node))).not.toContain(
    'n2',
  );
});

test('an abort stops all tasks and releases their outputs', async () => {
  const cluster = new MemoryCluster(3);
  const abort = new AbortController();
  const signals: AbortSignal[] = [];
  cluster.hook = (_, __, signal) => {
    signals.push(signal);
    if (signals.length === 3) abort.abort(TesseraError.of('QUERY_CANCELLED', { reason: 'wanted' }));
    return new Promise(() => {});
  };
  const run = executePlan(
    executionOf([SCAN, GROUPS, ROOT], { t: 9 }, { signal: abort.signal }),
    executingOn(cluster),
  );
  await expect(run).rejects.toThrow('Query cancelled: wanted');
  expect(signals.map(({ aborted }) => aborted)).toEqual([true, true, true]);
  expect(cluster.released).toHaveLength(3);
});

test('tasks get the remaining time in whole milliseconds; 0 means no limit', async () => {
  const cluster = new MemoryCluster(1);
  const runTask = vi.spyOn(cluster, 'runTask');
  const given = () => (runTask.mock.lastCall?.[2] as { timeoutMs: number } | undefined)?.timeoutMs;
  await executePlan(executionOf([SCAN, ONE], { t: 1 }, { timeoutMs: 60_000.5 }), executingOn(cluster));
  expect(given()).toSatisfy((ms: number) => Number.isInteger(ms) && ms > 0 && ms <= 60_001);
  await executePlan(executionOf([SCAN, ONE], { t: 1 }), executingOn(cluster));
  expect(given()).toBe(0);
});

test('an unknown error is thrown unchanged', async () => {
  const cluster = new MemoryCluster(2);
  const defect = new Error('defect');
  const assignScan = () => Promise.reject(defect);
  await expect(
    executePlan(executionOf([SCAN, ROOT], { t: 1 }, { assignScan }), executingOn(cluster)),
  ).rejects.toBe(defect);
});

const ONCE: readonly (readonly [FaultType, InjectedFault, number])[] = [
  ['TASK_FAILURE', { type: 'TASK_FAILURE', stage: 0, task: 1, attempt: 0 }, 4],
  [
    'TASK_MANAGEMENT_REQUEST_FAILURE',
    { type: 'TASK_MANAGEMENT_REQUEST_FAILURE', stage: 0, task: 1, attempt: 0 },
    4,
  ],
  [
    'TASK_MANAGEMENT_REQUEST_TIMEOUT',
    { type: 'TASK_MANAGEMENT_REQUEST_TIMEOUT', stage: 0, task: 1, attempt: 0 },
    4,
  ],
  [
    'TASK_GET_RESULTS_REQUEST_FAILURE',
    { type: 'TASK_GET_RESULTS_REQUEST_FAILURE', stage: 0, task: 1, attempt: 0 },
    4,
  ],
  [
    'TASK_GET_RESULTS_REQUEST_TIMEOUT',
    { type: 'TASK_GET_RESULTS_REQUEST_TIMEOUT', stage: 0, task: 1, attempt: 0 },
    4,
  ],
];

test.each(ONCE)('a single %s does not fail the query', async (_, fault, attempts) => {
  const cluster = new MemoryCluster(3);
  const execute = executePlanWith({ faults: [fault], retryDelayMs: 1 });
  const executed = await execute(executionOf([SCAN, GROUPS, ROOT], { t: 50 }), executingOn(cluster));
  expect(executed.root.sql).toBe(sortedRows(50));
  expect(executed.profiles[0]).toMatchObject({ tasks: 3, attempts });
});

test.each(ONCE)('a %s that persists ends the query', async (_, fault) => {
  const cluster = new MemoryCluster(3);
  const faults = [0, 1, 2, 3].map((attempt) => ({ ...fault, attempt }));
  const execute = executePlanWith({ faults, retryDelayMs: 1 });
  const run = execute(executionOf([SCAN, GROUPS, ROOT], { t: 50 }), executingOn(cluster));
  await expect(run).rejects.toMatchObject({
    name: expect.stringMatching(/^(NOT_LEADER|NODE_LOST|FETCH_FAILED)$/),
  });
});

test('a failure that the statement causes is not retried', async () => {
  const cluster = new MemoryCluster(3);
  const error = TesseraError.of('DIVISION_BY_ZERO', {});
  const execute = executePlanWith({
    faults: [{ type: 'TASK_FAILURE', stage: 1, task: 0, attempt: 0, error }],
  });
  await expect(execute(executionOf([SCAN, GROUPS, ROOT], { t: 50 }), executingOn(cluster))).rejects.toBe(
    error,
  );
});

test('a task that ran out of memory is run again alone', async () => {
  const cluster = new MemoryCluster(2);
  const alone: (boolean | undefined)[] = [];
  cluster.hook = (task) => {
    if (task.key.stage === 1 && task.key.task === 0) alone.push(task.alone);
    if (alone.length === 1 && task.key.stage === 1 && task.key.task === 0)
      throw TesseraError.of('OUT_OF_MEMORY', { message: 'too much' });
  };
  await executePlan(executionOf([SCAN, GROUPS, ROOT], { t: 50 }), executingOn(cluster));
  expect(alone).toEqual([undefined, true]);
});

test('a slow planner is asked less often, and other work continues in the meantime', async () => {
  const cluster = new MemoryCluster(2);
  const stages = [
    SCAN,
    ...Array.from({ length: 30 }, (_, i) => stage(i + 1, 'single', [exchange(i, 'gather')])),
    stage(31, 'coordinator', [exchange(30, 'gather')]),
  ];
  let asked = 0;
  const turns: number[] = [];
  const refine: PlanExecution['refine'] = (same) => {
    asked += 1;
    setImmediate(() => turns.push(asked));
    const endMs = performance.now() + 40;
    while (performance.now() < endMs);
    return same;
  };
  const executed = await executePlan(executionOf(stages, { t: 8 }, { refine }), executingOn(cluster));
  expect(executed.root.fetchedRows).toBe(8);
  expect(asked).toBeGreaterThan(1);
  expect(asked).toBeLessThan(15);
  // The first refinement is requested without a pause.
  expect(new Set(turns).size).toBeGreaterThanOrEqual(asked - 1);
});
