import { asNodeProcess, type NodeName, startTimer, TesseraError } from '@tessera/common';
import type { RunTaskRequest, ServedEvents, ServedStream, TaskCall } from '@tessera/rpc';
import { finishedReply, progressReply, type TaskReplyMessage } from '../codec/outcome-codec.ts';
import { decodeTask } from '../codec/task-codec.ts';
import type { DistExec, TaskOutcome, TaskProgress } from '../dist-exec.ts';
import type { Coordinators } from './coordinators.ts';

type TaskRunner = Pick<DistExec, 'node' | 'incarnation' | 'runTask'>;
type ReplyStream = ServedStream<{ readonly id: number; readonly reply: TaskReplyMessage }>;

/** A task of a call that has not ended. */
class ServedTask {
  readonly #stopping = new AbortController();
  /** Whether the coordinator does not wait for the task any more. */
  isAbandoned = false;

  get signal(): AbortSignal {
    return this.#stopping.signal;
  }

  stop(reason: TesseraError): void {
    this.#stopping.abort(reason);
  }

  abandon(reason: TesseraError): void {
    this.isAbandoned = true;
    this.stop(reason);
  }
}

/**
 * Runs the tasks of one call (`RunTasks`). When the call is lost, its tasks are stopped.
 * @param signal aborts when the call is lost
 */
export function serveTasks(
  distExec: TaskRunner,
  coordinators: Coordinators,
  stream: ReplyStream,
  signal: AbortSignal,
): ServedEvents<TaskCall> {
  const tasks = new Map<number, ServedTask>();
  let isClosing = false;
  signal.addEventListener('abort', () => {
    for (const task of tasks.values()) task.abandon(signal.reason);
  });
  const run = async (id: number, request: RunTaskRequest) => {
    const task = new ServedTask();
    tasks.set(id, task);
    try {
      const outcome = await runTask(distExec, coordinators, request, task, (progress) =>
        stream.send({ id, reply: progressReply(progress) }),
      );
      await stream.send({ id, reply: finishedReply(outcome) });
    } catch (error) {
      if (!task.isAbandoned)
        await stream.send({ id, reply: { case: 'error', value: stream.encodeError(error) } });
    } finally {
      tasks.delete(id);
      if (isClosing && tasks.size === 0) stream.end();
    }
  };
  return {
    onMessage: ({ id, call }) => {
      if (call.case === 'run' && !isClosing) void run(id, call.value);
      else if (call.case === 'run')
        void stream.send({
          id,
          reply: { case: 'error', value: stream.encodeError(shutsDown(distExec.node)) },
        });
      else if (call.case === 'stop')
        tasks.get(id)?.abandon(TesseraError.of('QUERY_CANCELLED', { reason: 'the calling node gave up' }));
    },
    onClosing: () => {
      isClosing = true;
      if (tasks.size === 0) stream.end();
    },
  };
}

const shutsDown = (node: NodeName) => TesseraError.of('NODE_LOST', { node, reason: 'it is shutting down' });

async function runTask(
  distExec: TaskRunner,
  coordinators: Coordinators,
  request: RunTaskRequest,
  served: ServedTask,
  send: (progress: TaskProgress) => Promise<void>,
): Promise<TaskOutcome> {
  const { incarnation, coordinator, timeoutMs } = request;
  if (incarnation !== distExec.incarnation) throw TesseraError.of('NODE_RESTARTED', { node: distExec.node });
  const task = decodeTask(request);
  const ended = coordinators.begin(asNodeProcess(coordinator), task.key.queryId, task.key.run);
  const timer =
    timeoutMs === 0
      ? undefined
      : startTimer(() => served.stop(TesseraError.of('STATEMENT_TIMEOUT', { timeoutMs })), timeoutMs);
  const sender = new ProgressSender(send);
  try {
    const { signal } = served;
    return await distExec.runTask(task, { signal, onProgress: (progress) => sender.emit(progress) });
  } finally {
    timer?.clear();
    ended(served.isAbandoned);
    await sender.end();
  }
}

/** Sends the latest progress whenever the last message has left: a slow reader misses outdated ones. */
class ProgressSender {
  readonly #send: (progress: TaskProgress) => Promise<void>;
  #latest: TaskProgress | undefined;
  #sending: Promise<void> | undefined;

  constructor(send: (progress: TaskProgress) => Promise<void>) {
    this.#send = send;
  }

  emit(progress: TaskProgress): void {
    this.#latest = progress;
    this.#sending ??= this.#sendAll();
  }

  /** Resolves when no message is on its way. Progress that was not sent is dropped. */
  async end(): Promise<void> {
    this.#latest = undefined;
    await this.#sending;
  }

  async #sendAll(): Promise<void> {
    for (let next = this.#latest; next !== undefined; next = this.#latest) {
      this.#latest = undefined;
      await this.#send(next);
    }
    // In the same step as the last look at `#latest`: progress that comes any later is sent by the next call.
    this.#sending = undefined;
  }
}
