import { executePlan, executePlanWith, type PlanExecution, type StreamedResult } from '@tessera/scheduler';
import { beforeEach, expect, test } from 'vitest';
import { exchange, executingOn, executionOf, MemoryCluster, scan, stage } from './memory-cluster.ts';

const SCAN = stage(0, 'source', [scan('t')]);
const ROOT = stage(1, 'coordinator', [exchange(0, 'gather')], { isRowWise: true, sql: [0] });

let cluster: MemoryCluster;
/** Ends the attempts with these names; see `MemoryCluster.begun`. */
let ends: Map<string, PromiseWithResolvers<void>>;

/** All tasks have rows at once, and end when they are told to. */
beforeEach(() => {
  cluster = new MemoryCluster(3);
  ends = new Map();
  cluster.hook = (_, __, ___, hasRows) => {
    const end = Promise.withResolvers<void>();
    ends.set(cluster.begun.at(-1)!, end);
    hasRows();
    return end.promise;
  };
});

const end = (...names: string[]) => {
  for (const name of names) ends.get(name)!.resolve();
};
async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise(setImmediate);
}

function started(more: Partial<PlanExecution> = {}, run = executePlan, stages = [SCAN, ROOT]) {
  const result = Promise.withResolvers<StreamedResult>();
  const execution = executionOf(stages, { t: 9, u: 4 }, { onResult: result.resolve, ...more });
  const executed = run(execution, executingOn(cluster));
  executed.catch(() => {});
  return { result: result.promise, executed };
}

const partOf = async ({ parts }: StreamedResult) => (await parts.next()).value?.sql;

test('rows are read while the tasks run that compute them', async () => {
  const { result, executed } = started();
  const streamed = await result;
  expect(await partOf(streamed)).toBe('0 3 6');
  end('n0 0/0/0');
  expect(await partOf(streamed)).toBe('1 4 7');
  end('n1 0/1/0', 'n2 0/2/0');
  expect(await partOf(streamed)).toBe('2 5 8');
  expect(await partOf(streamed)).toBeUndefined();
  const { root, profiles, release } = await executed;
  expect(root.fetchedRows).toBe(9);
  expect(profiles).toMatchObject([{ stage: 0, tasks: 3, attempts: 3, state: 'finished' }]);
  await release();
  expect(cluster.released).toHaveLength(3);
});

test('the branches of a UNION ALL follow each other, first the one that has rows', async () => {
  const root = stage(
    3,
    'coordinator',
    [exchange(0, 'gather'), exchange(2, 'gather'), exchange(0, 'gather')],
    {
      sql: [0, ' + ', 1, ' + ', 2],
      isRowWise: true,
    },
  );
  const stages = [SCAN, stage(1, 'source', [scan('u')]), stage(2, 'hash', [exchange(1, 'hash')]), root];
  const { hook } = cluster;
  cluster.hook = (...args) => (args[0].key.stage === 1 ? undefined : hook(...args));
  const { result, executed } = started({}, executePlan, stages);
  const streamed = await result;
  expect(await partOf(streamed)).toBe('0 3 6 + empty + 0 3 6');
  await until(() => ends.size === 4);
  end(...ends.keys());
  expect(await partOf(streamed)).toBe('1 4 7 + empty + 1 4 7');
  expect(await partOf(streamed)).toBe('2 5 8 + empty + 2 5 8');
  expect(await partOf(streamed)).toBe('empty + 0 3 1 2 + empty');
  expect(await partOf(streamed)).toBeUndefined();
  expect((await executed).root.fetchedRows).toBe(13);
});

test('a task is retried as long as none of its rows was read', async () => {
  const { result, executed } = started();
  const streamed = await result;
  expect(await partOf(streamed)).toBe('0 3 6');
  cluster.lose('n2');
  await until(() => ends.size === 4);
  end(...ends.keys());
  expect(await partOf(streamed)).toBe('1 4 7');
  expect(await partOf(streamed)).toBe('2 5 8');
  expect(await partOf(streamed)).toBeUndefined();
  expect((await executed).profiles).toMatchObject([{ attempts: 4 }]);
});

test('a node that is lost with rows of the result ends the run', async () => {
  const { result, executed } = started();
  const streamed = await result;
  await partOf(streamed);
  end('n0 0/0/0');
  expect(await partOf(streamed)).toBe('1 4 7');
  cluster.lose('n1');
  const lost = { name: 'NODE_LOST', params: { node: 'n1' } };
  await expect(streamed.parts.next()).rejects.toMatchObject(lost);
  await expect(executed).rejects.toMatchObject(lost);
  expect(cluster.released).toHaveLength(3);
});

test('a node whose rows were all read may be lost', async () => {
  const { result, executed } = started();
  const streamed = await result;
  await partOf(streamed);
  end('n0 0/0/0', 'n1 0/1/0');
  await partOf(streamed);
  expect(await partOf(streamed)).toBe('2 5 8');
  cluster.lose('n1');
  end('n2 0/2/0');
  expect(await partOf(streamed)).toBeUndefined();
  expect((await executed).profiles).toMatchObject([{ attempts: 3 }]);
});

test('an output that cannot be read is computed again', async () => {
  const faults = [{ type: 'TASK_GET_RESULTS_REQUEST_FAILURE', stage: 0, task: 1, attempt: 0 }] as const;
  const { result, executed } = started({}, executePlanWith({ faults }));
  const streamed = await result;
  expect(await partOf(streamed)).toBe('0 3 6');
  end(...ends.keys());
  const next = partOf(streamed);
  await until(() => ends.size === 4);
  end(...ends.keys());
  expect(await next).toBe('1 4 7');
  expect(await partOf(streamed)).toBe('2 5 8');
  expect(await partOf(streamed)).toBeUndefined();
  expect((await executed).profiles).toMatchObject([{ attempts: 4 }]);
});

test('a result that is not read to its end stops the tasks', async () => {
  const { result, executed } = started();
  const streamed = await result;
  await partOf(streamed);
  await streamed.release();
  await expect(executed).rejects.toMatchObject({ name: 'QUERY_CANCELLED' });
  expect(cluster.released).toHaveLength(3);
});

test('a root that merges sorted rows reads them while tasks run', async () => {
  const stages = [SCAN, { ...ROOT, isRowWise: false, mergesSorted: true }];
  const { result, executed } = started({}, executePlan, stages);
  const streamed = await result;
  expect(await partOf(streamed)).toBe('0 3 6');
  await until(() => ends.size === 3);
  end(...ends.keys());
  for (const rows of ['1 4 7', '2 5 8', undefined]) expect(await partOf(streamed)).toBe(rows);
  expect((await executed).root.fetchedRows).toBe(9);
});

test('the outputs of very many tasks are not merged', async () => {
  const { hook } = cluster;
  cluster = new MemoryCluster(33);
  cluster.hook = hook;
  const stages = [SCAN, { ...ROOT, isRowWise: false, mergesSorted: true }];
  const onResult = () => expect.unreachable();
  const executed = executePlan(executionOf(stages, { t: 99 }, { onResult }), executingOn(cluster));
  await until(() => ends.size === 33);
  end(...ends.keys());
  expect((await executed).root.fetchedRows).toBe(99);
});

test('a root that needs all rows at once gets them at the end', async () => {
  const stages = [SCAN, { ...ROOT, isRowWise: false }];
  const executed = executePlan(
    executionOf(stages, { t: 9 }, { onResult: () => expect.unreachable() }),
    executingOn(cluster),
  );
  await until(() => ends.size === 3);
  end(...ends.keys());
  expect((await executed).root.fetchedRows).toBe(9);
});
