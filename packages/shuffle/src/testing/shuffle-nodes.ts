import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { asNodeName, asQueryId, createLogging, newIncarnation, TesseraError } from '@tessera/common';
import { type Kernel, type KernelOptions, type KernelSession, startKernel } from '@tessera/kernel';
import { openRpcChannel, type ServedService, startRpcServer } from '@tessera/rpc';
import { openShuffle, type Shuffle, type ShuffleBlock, type ShuffleOptions } from '../index.ts';
import { shuffleService } from '../service/shuffle-service.ts';
import type { OutputShape, TaskKey } from '../shuffle.ts';

/** A node that can shuffle: a kernel, a shuffle, and its service on a port of its own. */
export interface TestNode {
  readonly kernel: Kernel;
  readonly shuffle: Shuffle;
  readonly address: string;
  readonly warnings: string[];
  session(): Promise<KernelSession>;
  /** Stores rows as the output of task `task` of stage 0. */
  store(task: number, sql: string, shape: OutputShape, queryId?: string): Promise<ShuffleBlock>;
  close(): Promise<void>;
}

export interface TestNodeOptions {
  readonly kernel?: Partial<KernelOptions>;
  readonly shuffle?: Partial<ShuffleOptions>;
  /** Wraps the service before others use it. */
  readonly service?: (service: ServedService) => ServedService;
}

export const keyOf = (task: number, queryId = 'query', stage = 0): TaskKey => ({
  queryId: asQueryId(queryId),
  run: 0,
  stage,
  task,
  attempt: 0,
});

let nodes = 0;

export async function openNode(options: TestNodeOptions = {}): Promise<TestNode> {
  const directory = mkdtempSync(join(tmpdir(), 'tessera-shuffle-'));
  const warnings: string[] = [];
  const warn = (_: object, message: string) => void warnings.push(message);
  const log = { info: () => undefined, warn, error: warn };
  const kernel = await startKernel({
    directory: join(directory, 'kernel'),
    readableDirectories: [],
    memoryLimitBytes: 1 << 30,
    threads: 2,
    bootstrap: [],
    log,
    ...options.kernel,
  });
  const name = `node${++nodes}`;
  const shuffle = openShuffle({
    directory: join(directory, 'exchange'),
    node: asNodeName(name),
    incarnation: newIncarnation(),
    channel: (address) =>
      openRpcChannel({
        address,
        clusterToken: undefined,
        unanswered: (reason) => TesseraError.of('NODE_LOST', { node: address, reason }),
      }),
    log,
    ...options.shuffle,
  });
  const service = shuffleService(shuffle);
  const server = await startRpcServer({
    host: '127.0.0.1',
    port: 0,
    services: [options.service?.(service) ?? service],
    clusterToken: undefined,
    log: createLogging({ level: 'fatal', format: 'json', components: [], sinks: null }).logger('rpc'),
  });
  const address = `127.0.0.1:${server.port}`;
  const sessions: KernelSession[] = [];
  return {
    kernel,
    shuffle,
    address,
    warnings,
    session: async () => {
      const session = await kernel.session();
      sessions.push(session);
      return session;
    },
    store: async (task, sql, shape, queryId) => {
      const session = await kernel.session();
      const producer = keyOf(task, queryId);
      try {
        const { rows } = await shuffle.store(producer, session, sql, shape);
        return { producer, address, incarnation: shuffle.incarnation, rows };
      } finally {
        await session.close();
      }
    },
    close: async () => {
      await server.close(0);
      await Promise.all(sessions.map((session) => session.close()));
      await shuffle.close();
      await kernel.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
