import { cancellation, startTimer, TesseraError } from '@tessera/common';
import {
  type CallerStream,
  DistExecService,
  errorOf,
  type RpcClient,
  rpcCalls,
  type TaskFinished,
  type TaskReply,
} from '@tessera/rpc';
import { decodeProgress } from '../codec/outcome-codec.ts';
import type { RunTaskMessage } from '../codec/task-codec.ts';
import type { TaskProgress } from '../dist-exec.ts';

export interface TaskCallOptions {
  readonly signal: AbortSignal;
  /** The task fails if it has not ended by then; undefined means no limit. */
  readonly timeoutMs: number | undefined;
  readonly onProgress: ((progress: TaskProgress) => void) | undefined;
}

interface RunningTask {
  readonly onProgress: ((progress: TaskProgress) => void) | undefined;
  succeed(finished: TaskFinished): void;
  fail(error: TesseraError): void;
}

type Client = RpcClient<typeof DistExecService>;
type TaskStream = CallerStream<Parameters<ReturnType<Client['runTasks']>['send']>[0]>;

const PATH = `/${DistExecService.typeName}/${DistExecService.method.runTasks.name}`;
const MAX_ID = 2 ** 32 - 1;

/** The tasks that another node runs for this one. They share a call, which is opened for the first task and after it was lost. */
export class TaskCalls {
  readonly #client: Client;
  readonly #running = new Map<number, RunningTask>();
  #stream: TaskStream | undefined;
  #lastId = 0;

  constructor(client: Client) {
    this.#client = client;
  }

  /** @throws TesseraError the error of the task, the channel's error if there is no answer, the reason of a cancellation */
  run(request: RunTaskMessage, { signal, timeoutMs, onProgress }: TaskCallOptions): Promise<TaskFinished> {
    if (signal.aborted) return Promise.reject(cancellation(signal));
    this.#stream ??= this.#open();
    const stream = this.#stream;
    const id = this.#nextId();
    return new Promise((resolve, reject) => {
      const giveUp = (error: TesseraError) => {
        stream.send({ id, call: { case: 'stop', value: {} } });
        this.#running.get(id)!.fail(error);
      };
      const cancel = () => giveUp(cancellation(signal));
      const timer = timeoutMs === undefined ? undefined : startTimer(() => giveUp(stream.late()), timeoutMs);
      const end = (outcome: string) => {
        this.#running.delete(id);
        timer?.clear();
        signal.removeEventListener('abort', cancel);
        rpcCalls.emit({ path: PATH, outcome });
      };
      this.#running.set(id, {
        onProgress,
        succeed: (finished) => {
          end('ok');
          resolve(finished);
        },
        fail: (error) => {
          end(error.name);
          reject(error);
        },
      });
      signal.addEventListener('abort', cancel, { once: true });
      stream.send({ id, call: { case: 'run', value: request } });
    });
  }

  #nextId(): number {
    do this.#lastId = (this.#lastId % MAX_ID) + 1;
    while (this.#running.has(this.#lastId));
    return this.#lastId;
  }

  #open(): TaskStream {
    return this.#client.runTasks({
      onMessage: (reply) => this.#receive(reply),
      onEnd: (error) => {
        this.#stream = undefined;
        for (const task of [...this.#running.values()]) task.fail(error);
      },
    });
  }

  #receive({ id, reply }: TaskReply): void {
    // The replies to a task that was given up are not needed.
    const task = this.#running.get(id);
    if (task === undefined) return;
    switch (reply.case) {
      case 'progress':
        task.onProgress?.(decodeProgress(reply.value));
        return;
      case 'finished':
        task.succeed(reply.value);
        return;
      case 'error':
        task.fail(errorOf(reply.value));
        return;
      default:
        task.fail(
          TesseraError.of('BAD_REQUEST', { message: 'A node has sent an unknown reply about a task' }),
        );
    }
  }
}
