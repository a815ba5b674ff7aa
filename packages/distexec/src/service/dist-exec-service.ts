import { startTimer, TesseraError } from '@tessera/common';
import type { Kernel, KernelLog } from '@tessera/kernel';
import {
  DistExecService,
  type PlaceRequest,
  type ReleaseQueryRequest,
  type RpcContext,
  type RunTaskRequest,
  type ServedService,
  serviceOf,
} from '@tessera/rpc';
import { type EventMessage, finishedEvent, progressEvent } from '../codec/outcome-codec.ts';
import { decodeTask } from '../codec/task-codec.ts';
import type { DistExec, Task, TaskOutcome, TaskProgress } from '../dist-exec.ts';
import { Coordinators } from './coordinators.ts';
import { LatestEvent } from './latest-event.ts';
import { MemorySample } from './memory-sample.ts';

export interface Cancellation {
  readonly reason: string;
  /** Only a query of this user is cancelled; undefined means a query of any user. */
  readonly ofUser?: string | undefined;
}

export interface DistExecServiceOptions {
  readonly kernel: Kernel;
  /** The version of the engine. */
  readonly version: string;
  readonly startedAtMs: number;
  readonly threads: number;
  /**
   * The interval at which coordinators ping. A coordinator counts as gone after two intervals without a ping.
   */
  readonly heartbeatMs: number;
  status(): 'running' | 'draining';
  /** The queries that this node coordinates, as rows of information_schema. */
  listQueries(): Promise<readonly Record<string, unknown>[]>;
  /** The number of queries that this node coordinates. */
  runningQueries(): number;
  /** Returns false if the node runs no such query, or only one of another user. */
  cancelQuery(queryId: string, how: Cancellation): boolean | Promise<boolean>;
  /**
   * Returns how many places of this node's admission control another node may use from now on.
   * @param from `<name>/<incarnation>` of the node
   */
  lendPlaces?(from: string, request: PlaceRequest): number;
  readonly log: KernelLog;
}

/** The service, which must be closed when the node ends. */
export interface ServedDistExec extends ServedService {
  close(): void;
}

/** Runs tasks for other nodes and reports the state of this node. */
export function distExecService(distExec: DistExec, options: DistExecServiceOptions): ServedDistExec {
  const { kernel, log } = options;
  const memory = new MemorySample(() => kernel.memory());
  const coordinators = new Coordinators({
    heartbeatMs: options.heartbeatMs,
    onGone: (coordinator, queryIds) => {
      log.warn(
        { coordinator, queryIds },
        'A coordinator is lost: its tasks are cancelled and their output is released',
      );
      for (const queryId of queryIds) {
        distExec.release(queryId).catch((error: unknown) => {
          log.error({ queryId, error: String(error) }, NOT_RELEASED);
        });
      }
    },
  });
  const release = async ({ queryId, run, stages }: ReleaseQueryRequest) => {
    await distExec.release(queryId, {
      ...(run !== undefined && { run }),
      ...(stages.length > 0 && { stages }),
    });
    coordinators.released(queryId, { run, stages });
  };
  const service = serviceOf(DistExecService, {
    ping: async ({ from, places, releases }) => {
      coordinators.heard(from);
      // The caller does not wait: a ping is answered at once.
      for (const one of releases) {
        release(one).catch((error: unknown) => {
          log.error({ queryId: one.queryId, error: String(error) }, NOT_RELEASED);
        });
      }
      const { usedBytes, limitBytes } = memory.latest();
      return {
        name: distExec.node,
        incarnation: distExec.incarnation,
        version: options.version,
        status: options.status(),
        startedAtMs: BigInt(options.startedAtMs),
        runningTasks: distExec.runningTasks,
        runningQueries: options.runningQueries(),
        memoryUsedBytes: BigInt(Math.round(usedBytes)),
        memoryLimitBytes: BigInt(Math.round(limitBytes)),
        exchangeBytes: BigInt(Math.round(distExec.exchangeBytes)),
        threads: options.threads,
        places: (places && options.lendPlaces?.(from, places)) ?? 0,
        hasReleased: true,
      };
    },
    runTask: (request, context) => runTask(distExec, coordinators, request, context),
    releaseQuery: async (request) => {
      await release(request);
      return {};
    },
    listQueries: async () => ({ queries: Buffer.from(JSON.stringify(await options.listQueries())) }),
    cancelQuery: async ({ queryId, reason, ofUser }) => ({
      found: await options.cancelQuery(queryId, { reason, ofUser }),
    }),
  });
  return { ...service, close: () => coordinators.close() };
}

const NOT_RELEASED = 'The output of a query could not be released';

async function* runTask(
  distExec: DistExec,
  coordinators: Coordinators,
  request: RunTaskRequest,
  { signal }: RpcContext,
) {
  if (request.incarnation !== distExec.incarnation) {
    throw TesseraError.of('NODE_RESTARTED', { node: distExec.node });
  }
  const task = decodeTask(request);
  const ended = coordinators.begin(request.coordinator, task.key.queryId, task.key.run);
  try {
    yield* events(distExec, task, request.timeoutMs, signal);
  } finally {
    ended(signal.aborted);
  }
}

/** Yields progress events, then the outcome. */
async function* events(
  distExec: DistExec,
  task: Task,
  timeoutMs: number,
  callSignal: AbortSignal,
): AsyncGenerator<EventMessage> {
  const deadline = new AbortController();
  const timer =
    timeoutMs === 0
      ? undefined
      : startTimer(() => deadline.abort(TesseraError.of('STATEMENT_TIMEOUT', { timeoutMs })), timeoutMs);
  const signal = AbortSignal.any([callSignal, deadline.signal]);
  const progress = new LatestEvent<TaskProgress, TaskOutcome>();
  try {
    distExec
      .runTask(task, { signal, onProgress: (event) => progress.emit(event) })
      .then(progress.end, progress.fail);
    for (;;) {
      const next = await progress.next();
      if (next.end !== undefined) return yield finishedEvent(next.end);
      yield progressEvent(next.latest!);
    }
  } finally {
    timer?.clear();
  }
}
