import type { Incarnation, NodeProcess, QueryId } from '@tessera/common';
import type { DistExecService, RpcClient } from '@tessera/rpc';
import { decodeOutcome } from '../codec/outcome-codec.ts';
import { encodeTask } from '../codec/task-codec.ts';
import type { Task, TaskOutcome, TaskProgress } from '../dist-exec.ts';
import type { Cancellation } from './dist-exec-service.ts';
import { TaskCalls } from './task-calls.ts';

/** The time after its deadline in which a task may still report that the deadline has passed. */
const DEADLINE_GRACE_MS = 2_000;
/**
 * The longest time limit that a message can hold. Longer ones are not sent: the coordinator ends the task by
 * its signal.
 */
const MAX_TIMEOUT_MS = 2 ** 32 - 1;

export interface RunRemoteTaskOptions {
  /** The incarnation that the node must have. */
  readonly incarnation: Incarnation;
  /** The coordinator, which is this node. */
  readonly coordinator: NodeProcess;
  readonly signal: AbortSignal;
  /** 0 means no limit. */
  readonly timeoutMs: number;
  readonly onProgress?: ((progress: TaskProgress) => void) | undefined;
}

/** The tasks of another node, as the coordinator of the query uses them. */
export interface RemoteTasks {
  /**
   * @throws TesseraError NODE_RESTARTED, the error of the task, or the channel's error if there is no answer
   */
  runTask(task: Task, options: RunRemoteTaskOptions): Promise<TaskOutcome>;
  /** See `DistExec.release`. */
  release(
    queryId: QueryId,
    which?: { readonly run?: number | undefined; readonly stages?: readonly number[] | undefined },
    timeoutMs?: number,
  ): Promise<void>;
  /** The queries that the node coordinates. */
  listQueries(timeoutMs?: number): Promise<readonly Record<string, unknown>[]>;
  /** Resolves with false if the node runs no such query, or only one of another user. */
  cancelQuery(queryId: QueryId, how: Cancellation, timeoutMs?: number): Promise<boolean>;
}

export function remoteTasks(client: RpcClient<typeof DistExecService>): RemoteTasks {
  const calls = new TaskCalls(client);
  return {
    runTask: (task, options) => runTask(calls, task, options),
    release: async (queryId, { run, stages } = {}, timeoutMs) => {
      await client.releaseQuery(
        { queryId, ...(run !== undefined && { run }), stages: [...(stages ?? [])] },
        { timeoutMs },
      );
    },
    listQueries: async (timeoutMs) => {
      const { queries } = await client.listQueries({}, { timeoutMs });
      return JSON.parse(Buffer.from(queries).toString('utf8'));
    },
    cancelQuery: async (queryId, { reason, ofUser }, timeoutMs) => {
      const request = { queryId, reason, ...(ofUser !== undefined && { ofUser }) };
      return (await client.cancelQuery(request, { timeoutMs })).found;
    },
  };
}

async function runTask(
  calls: TaskCalls,
  task: Task,
  { incarnation, coordinator, signal, timeoutMs: wantedMs, onProgress }: RunRemoteTaskOptions,
): Promise<TaskOutcome> {
  const timeoutMs = wantedMs > MAX_TIMEOUT_MS ? 0 : wantedMs;
  const finished = await calls.run(
    { ...encodeTask(task), incarnation, coordinator, timeoutMs },
    { signal, timeoutMs: timeoutMs === 0 ? undefined : timeoutMs + DEADLINE_GRACE_MS, onProgress },
  );
  return decodeOutcome(finished);
}
