import { asIncarnation, asNodeName, createLogging, TesseraError } from '@tessera/common';
import {
  DistExecService,
  openRpcChannel,
  type RpcHandlers,
  type ServedStream,
  serviceOf,
  startRpcServer,
  type TaskCall,
} from '@tessera/rpc';
import { afterEach, expect, it } from 'vitest';
import { progressReply } from '../codec/outcome-codec.ts';
import { encodeTask } from '../codec/task-codec.ts';
import { taskOf } from '../testing/test-nodes.ts';
import { Coordinators } from './coordinators.ts';
import { serveTasks } from './served-tasks.ts';
import { TaskCalls } from './task-calls.ts';

const TOKEN = 'a-token-of-the-cluster';
const log = createLogging({ level: 'fatal', format: 'json', components: [], sinks: null }).logger('rpc');
type Handlers = RpcHandlers<typeof DistExecService>;
type Stream = Parameters<Handlers['runTasks']>[0];

let stack: AsyncDisposableStack | undefined;
afterEach(() => stack?.disposeAsync());

/** The tasks of a server that passes on what it receives, with the number of calls that it has seen. */
async function calls(onMessage: (message: TaskCall, stream: Stream, call: number) => void, token = TOKEN) {
  const unused = () => Promise.reject(new Error('not called'));
  let opened = 0;
  const handlers: Handlers = {
    ping: unused,
    releaseQuery: unused,
    listQueries: unused,
    cancelQuery: unused,
    runTasks: (stream) => {
      const call = ++opened;
      return { onMessage: (message) => onMessage(message, stream, call), onClosing: () => stream.end() };
    },
  };
  stack = new AsyncDisposableStack();
  const services = [serviceOf(DistExecService, handlers)];
  const server = await startRpcServer({ host: '127.0.0.1', port: 0, services, clusterToken: TOKEN, log });
  stack.defer(() => server.close(0));
  const channel = openRpcChannel({
    address: `127.0.0.1:${server.port}`,
    clusterToken: token,
    unanswered: (reason) => TesseraError.of('NODE_LOST', { node: asNodeName('n'), reason }),
  });
  stack.defer(() => channel.close());
  const tasks = new TaskCalls(channel.client(DistExecService));
  const run = (options: Partial<Parameters<TaskCalls['run']>[1]> = {}) =>
    tasks.run(encodeTask(taskOf(['SELECT 1 AS n'], [{ name: 'n', type: 'INTEGER' }])), {
      signal: new AbortController().signal,
      timeoutMs: undefined,
      onProgress: undefined,
      ...options,
    });
  return { run, opened: () => opened, server };
}

const finish = (stream: ServedStream<Parameters<Stream['send']>[0]>, id: number, rows: bigint) =>
  stream.send({ id, reply: { case: 'finished', value: { rows } } });

it('tasks share a call, whatever the order of their replies', async () => {
  const waiting: number[] = [];
  const { run, opened } = await calls(({ id }, stream) => {
    waiting.push(id);
    if (waiting.length === 3) for (const one of waiting.reverse()) void finish(stream, one, BigInt(one));
  });
  const finished = await Promise.all([run(), run(), run()]);
  expect(finished.map(({ rows }) => rows)).toEqual([1n, 2n, 3n]);
  expect(opened()).toBe(1);
});

it('a task gets its own error, with its causes', async () => {
  const cause = TesseraError.of('STORAGE_UNAVAILABLE', { url: 's3://b', reason: 'SlowDown' });
  const thrown = TesseraError.of('CORRUPT_TABLET', { tablet: 't', table: 'u', reason: 'é' }, { cause });
  const { run } = await calls(({ id }, stream) => {
    if (id === 1) void stream.send({ id, reply: { case: 'error', value: stream.encodeError(thrown) } });
    else if (id === 2)
      void stream.send({ id, reply: { case: 'error', value: stream.encodeError(new Error('secret path')) } });
    else void finish(stream, id, 3n);
  });
  const [known, defect, other] = await Promise.allSettled([run(), run(), run()]);
  expect(known).toMatchObject({ status: 'rejected', reason: expect.any(TesseraError) });
  expect(((known as PromiseRejectedResult).reason as TesseraError).toData()).toEqual(thrown.toData());
  expect(String((defect as PromiseRejectedResult).reason)).not.toContain('secret');
  expect(defect).toMatchObject({ reason: { name: 'INTERNAL' } });
  expect(other).toMatchObject({ status: 'fulfilled', value: { rows: 3n } });
});

it('when the call ends, its tasks fail with the error of the channel, and the next task opens another call', async () => {
  const { run, opened } = await calls(({ id }, stream, call) => {
    if (call > 1) void finish(stream, id, 7n);
    else if (id === 2) stream.end();
  });
  const lost = await Promise.allSettled([run(), run()]);
  for (const one of lost) expect(one).toMatchObject({ status: 'rejected', reason: { name: 'NODE_LOST' } });
  expect((await run()).rows).toBe(7n);
  expect(opened()).toBe(2);
});

it('when the node is gone, its tasks fail with the error of the channel', async () => {
  const received = Promise.withResolvers<void>();
  const { run, server } = await calls(() => received.resolve());
  const lost = expect(run()).rejects.toMatchObject({ name: 'NODE_LOST' });
  await received.promise;
  await server.close(0);
  await lost;
  await expect(run()).rejects.toMatchObject({ name: 'NODE_LOST' });
});

it('a task that is cancelled or late is stopped, and its later replies are ignored', async () => {
  const stopped: number[] = [];
  const begun = Promise.withResolvers<void>();
  const { run } = await calls(({ id, call }, stream) => {
    if (call.case === 'stop') {
      stopped.push(id);
      void stream.send({ id, reply: progressReply({ percent: 1 }) });
      void finish(stream, id, 9n);
    } else if (id === 1) void stream.send({ id, reply: progressReply({ percent: 50 }) });
    else if (id === 3) void finish(stream, id, 3n);
  });
  const controller = new AbortController();
  const left = run({ signal: controller.signal, onProgress: () => begun.resolve() });
  const failed = expect(left).rejects.toMatchObject({ name: 'QUERY_CANCELLED' });
  await begun.promise;
  controller.abort();
  await failed;
  await expect(run({ timeoutMs: 50 })).rejects.toThrow('no answer in time');
  expect((await run()).rows).toBe(3n);
  expect(stopped).toEqual([1, 2]);
  await expect(run({ signal: AbortSignal.abort() })).rejects.toMatchObject({ name: 'QUERY_CANCELLED' });
});

it('progress that comes just after the message before it has left is sent, too', async () => {
  const coordinators = new Coordinators({ heartbeatMs: 60_000, onGone: () => undefined });
  const lost = new AbortController();
  const left = Promise.withResolvers<void>();
  const runner: Parameters<typeof serveTasks>[0] = {
    node: asNodeName('n'),
    incarnation: asIncarnation(''),
    runTask: (_, { signal, onProgress }) => {
      onProgress?.({ percent: 1 });
      // This runs directly after the sender has found no other progress.
      void left.promise.then(() => onProgress?.({ percent: 2 }));
      left.resolve();
      return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    },
  };
  const { run } = await calls((message, stream) => {
    const send: Stream['send'] = (reply) => {
      void stream.send(reply);
      return left.promise;
    };
    serveTasks(runner, coordinators, { ...stream, send }, lost.signal).onMessage(message);
  });
  const arrived = Promise.withResolvers<void>();
  const running = run({
    onProgress: ({ percent }) => {
      if (percent === 2) arrived.resolve();
    },
  });
  running.catch(() => undefined);
  await arrived.promise;
  lost.abort(TesseraError.of('QUERY_CANCELLED', { reason: 'a test' }));
  coordinators.close();
});

it('a call without the token of the cluster is refused', async () => {
  const { run, opened } = await calls(() => undefined, 'another-token-as-long');
  await expect(run()).rejects.toMatchObject({ name: 'UNAUTHENTICATED' });
  expect(opened()).toBe(0);
});
