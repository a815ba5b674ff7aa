import { asNodeProcess, asQueryId, type NodeProcess, type QueryId } from '@tessera/common';
import type { Kernel, KernelLog } from '@tessera/kernel';
import {
  DistExecService,
  type PlaceRequest,
  type ReleaseQueryRequest,
  type ServedService,
  serviceOf,
} from '@tessera/rpc';
import type { DistExec } from '../dist-exec.ts';
import { Coordinators } from './coordinators.ts';
import { MemorySample } from './memory-sample.ts';
import { serveTasks } from './served-tasks.ts';

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
  cancelQuery(queryId: QueryId, how: Cancellation): boolean | Promise<boolean>;
  /** Returns how many places of this node's admission control another node may use from now on. */
  lendPlaces?(from: NodeProcess, request: PlaceRequest): number;
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
        'a coordinator is lost: its tasks are cancelled and their output is released',
      );
      for (const queryId of queryIds) {
        distExec.release(queryId).catch((error: unknown) => {
          log.error({ queryId, error: String(error) }, NOT_RELEASED);
        });
      }
    },
  });
  const release = async ({ queryId: sentId, run, stages }: ReleaseQueryRequest) => {
    const queryId = asQueryId(sentId);
    await distExec.release(queryId, {
      ...(run !== undefined && { run }),
      ...(stages.length > 0 && { stages }),
    });
    coordinators.released(queryId, { run, stages });
  };
  const service = serviceOf(DistExecService, {
    ping: async ({ from: text, places, releases }) => {
      const from = asNodeProcess(text);
      coordinators.heard(from);
      // The caller does not wait: a ping is answered at once.
      for (const one of releases) {
        release(one).catch((error: unknown) => {
          log.error({ queryId: one.queryId, error: String(error) }, NOT_RELEASED);
        });
      }
      return {
        ...nodeState(distExec, memory, options),
        places: (places && options.lendPlaces?.(from, places)) ?? 0,
        hasReleased: true,
      };
    },
    runTasks: (stream, { signal }) => serveTasks(distExec, coordinators, stream, signal),
    releaseQuery: async (request) => {
      await release(request);
      return {};
    },
    listQueries: async () => ({ queries: Buffer.from(JSON.stringify(await options.listQueries())) }),
    cancelQuery: async ({ queryId, reason, ofUser }) => ({
      found: await options.cancelQuery(asQueryId(queryId), { reason, ofUser }),
    }),
  });
  return { ...service, close: () => coordinators.close() };
}

/** The state of this node, which the answer to a ping contains. */
function nodeState(distExec: DistExec, memory: MemorySample, options: DistExecServiceOptions) {
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
  };
}

const NOT_RELEASED = 'The output of a query could not be released';
