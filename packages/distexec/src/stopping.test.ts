import { asIncarnation, asNodeProcess, asQueryId } from '@tessera/common';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestNode, TestNodes, taskOf } from './testing/test-nodes.ts';

const HEARTBEAT_MS = 800;
const COLUMNS = [{ name: 'n', type: 'HUGEINT' }];
const endless = (queryId: string) => ({
  ...taskOf(['SELECT sum(hash(i)) AS n FROM range(1000000000000) t(i)'], COLUMNS),
  key: { queryId: asQueryId(queryId), run: 1, stage: 0, task: 0, attempt: 0 },
});
const short = (queryId: string) => ({
  ...taskOf(['SELECT i::HUGEINT AS n FROM range(10000) t(i)'], COLUMNS),
  key: { queryId: asQueryId(queryId), run: 1, stage: 1, task: 0, attempt: 0 },
});

let cluster: TestNodes;
let node: TestNode;
beforeAll(async () => {
  cluster = await TestNodes.open({ heartbeatMs: HEARTBEAT_MS, maxRunningTasks: 3 });
  node = cluster.nodes[0]!;
});
afterAll(() => cluster?.[Symbol.asyncDispose]());

const isIdle = async () =>
  expect.poll(() => [node.distExec.runningTasks, node.shuffle.bytes]).toEqual([0, 0]);

/** Sends pings until the returned function is called. */
function alive(coordinator: string): () => void {
  const timer = setInterval(() => void node.ping(coordinator).catch(() => undefined), HEARTBEAT_MS / 4);
  return () => clearInterval(timer);
}

const OVER_ANOTHER = {
  coordinator: asNodeProcess('coordinator:1/first'),
  signal: new AbortController().signal,
  timeoutMs: 0,
};

/** Starts a task and waits for its first progress event. */
async function started(
  queryId: string,
  options: Parameters<TestNode['run']>[1] = {},
  run: TestNode['run'] = node.run,
) {
  const begun = Promise.withResolvers<void>();
  const running = run(endless(queryId), { ...options, onProgress: () => begun.resolve() });
  running.catch(() => undefined);
  await Promise.race([begun.promise, running]);
  return { running };
}

describe('a task is stopped', () => {
  it('when its caller gives up, and nothing stays', async () => {
    const controller = new AbortController();
    const { running } = await started('cancelled', { signal: controller.signal });
    expect(node.distExec.runningTasks).toBe(1);
    controller.abort();
    await expect(running).rejects.toMatchObject({ name: 'QUERY_CANCELLED' });
    await isIdle();
  });

  it('at its deadline', async () => {
    const stop = alive('timed/1');
    await expect(
      node.run(endless('timed'), { timeoutMs: 300, coordinator: asNodeProcess('timed/1') }),
    ).rejects.toMatchObject({ name: 'STATEMENT_TIMEOUT' });
    stop();
    await isIdle();
  });

  it('not before its time limit, however long that is', async () => {
    for (const timeoutMs of [3_000_000_000, 2 ** 33]) {
      const controller = new AbortController();
      const { running } = await started(`patient-${timeoutMs}`, { signal: controller.signal, timeoutMs });
      controller.abort();
      await expect(running).rejects.toMatchObject({ name: 'QUERY_CANCELLED' });
    }
    await isIdle();
  });

  it('when its connection is lost, tasks of other connections are not', async () => {
    const stop = alive('coordinator:1/first');
    const { remote, cut } = node.connect();
    const runThere: TestNode['run'] = (task, options) =>
      remote.runTask(task, { ...OVER_ANOTHER, incarnation: node.distExec.incarnation, ...options });
    const lost = await Promise.all([1, 2].map((n) => started(`lost-${n}`, {}, runThere)));
    const kept = await started('kept');
    cut();
    for (const { running } of lost) await expect(running).rejects.toMatchObject({ name: 'NODE_LOST' });
    await expect.poll(() => node.distExec.runningTasks).toBe(1);
    await node.remote.release(asQueryId('kept'));
    await expect(kept.running).rejects.toMatchObject({ name: 'QUERY_CANCELLED' });
    stop();
    await isIdle();
  });

  it('when its query is released, other queries are not', async () => {
    const stop = alive('coordinator:1/first');
    const [one, two] = [await started('released'), await started('kept')];
    await node.remote.release(asQueryId('released'));
    await expect(one.running).rejects.toMatchObject({ name: 'QUERY_CANCELLED' });
    expect(node.distExec.runningTasks).toBe(1);
    await node.remote.release(asQueryId('kept'), { run: 2 });
    expect(node.distExec.runningTasks).toBe(1);
    await node.remote.release(asQueryId('kept'), { run: 1 });
    await expect(two.running).rejects.toMatchObject({ name: 'QUERY_CANCELLED' });
    stop();
    await isIdle();
  });

  it('not when outputs of some stages are freed', async () => {
    const stop = alive('coordinator:1/first');
    await node.run(short('staged'));
    const { running } = await started('staged');
    expect(node.shuffle.bytes).toBeGreaterThan(0);
    await node.remote.release(asQueryId('staged'), { run: 1, stages: [1] });
    expect(node.shuffle.bytes).toBe(0);
    expect(node.distExec.runningTasks).toBe(1);
    await node.remote.release(asQueryId('staged'));
    await expect(running).rejects.toMatchObject({ name: 'QUERY_CANCELLED' });
    stop();
    await isIdle();
  });

  it('when its coordinator is not heard of any more, and so are outputs freed', async () => {
    const stop = alive('silent:1/a');
    await node.run(short('silent'), { coordinator: asNodeProcess('silent:1/a') });
    const { running } = await started('silent', { coordinator: asNodeProcess('silent:1/a') });
    const others = alive('other:1/a');
    await node.run(short('other'), { coordinator: asNodeProcess('other:1/a') });
    stop();
    await expect(running).rejects.toMatchObject({ name: 'QUERY_CANCELLED' });
    await expect.poll(() => node.distExec.runningTasks).toBe(0);
    // The output belongs to the other coordinator, which is alive.
    await expect.poll(() => node.shuffle.bytes).toBeGreaterThan(0);
    others();
    await isIdle();
  });

  it('when its coordinator was restarted', async () => {
    const stop = alive('restarted:1/a');
    const { running } = await started('restarted', { coordinator: asNodeProcess('restarted:1/a') });
    stop();
    await node.ping('restarted:1/b');
    await expect(running).rejects.toMatchObject({ name: 'QUERY_CANCELLED' });
    await isIdle();
  });
});

it('a task for another incarnation is refused', async () => {
  await expect(node.run(short('old'), { incarnation: asIncarnation('another') })).rejects.toMatchObject({
    name: 'NODE_RESTARTED',
  });
});

it('many tasks at once all end, a few at a time; one that must be alone is', async () => {
  const stop = alive('coordinator:1/first');
  const sql = ['SELECT count(DISTINCT hash(i))::HUGEINT AS n FROM range(20000) t(i)'];
  const tasks = Array.from({ length: 40 }, (_, task) => ({
    ...taskOf(sql, COLUMNS),
    key: { queryId: asQueryId('many'), run: 1, stage: 0, task, attempt: 0 },
    alone: task % 13 === 12,
  }));
  const outcomes = await Promise.all(tasks.map((task) => node.run(task)));
  expect(outcomes.every(({ rows }) => rows === 1)).toBe(true);
  await node.remote.release(asQueryId('many'));
  stop();
  await isIdle();
});

it('a node that stops serving takes no new task, and lets the running ones end', async () => {
  const stop = alive('coordinator:1/first');
  const controller = new AbortController();
  const { running } = await started('last', { signal: controller.signal });
  const stopped = node.stopServing(60_000);
  await expect(node.run(short('refused'))).rejects.toMatchObject({ name: 'NODE_LOST' });
  expect(node.distExec.runningTasks).toBe(1);
  controller.abort();
  await expect(running).rejects.toMatchObject({ name: 'QUERY_CANCELLED' });
  await stopped;
  stop();
  await isIdle();
});
