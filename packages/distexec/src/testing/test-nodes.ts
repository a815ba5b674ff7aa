import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Column, ObjectId, TableObject, Tablet } from '@tessera/catalog';
import {
  asNodeName,
  asNodeProcess,
  asQueryId,
  createLogging,
  newIncarnation,
  newUlid,
  TesseraError,
} from '@tessera/common';
import { type Kernel, startKernel } from '@tessera/kernel';
import { type ObjectStore, openLocalStore } from '@tessera/object-store';
import { DistExecService, openRpcChannel, startRpcServer } from '@tessera/rpc';
import { openShuffle, type Shuffle, type ShuffleBlock, shuffleService } from '@tessera/shuffle';
import { agentBootstrap, openStorageAgent, type StorageAgent } from '@tessera/storage-agent';
import { writeTablets } from '@tessera/tablet';
import type { DistExec, Task, TaskOutcome } from '../dist-exec.ts';
import { type DistExecOptions, openDistExec } from '../open-dist-exec.ts';
import { distExecService } from '../service/dist-exec-service.ts';
import { type RemoteTasks, type RunRemoteTaskOptions, remoteTasks } from '../service/remote-tasks.ts';

const silent = () => undefined;
const LOG = { info: silent, warn: silent, error: silent };
const HEADER = { formatVersion: 2, compression: 'zstd', compressionLevel: 1, minBytesForWide: 1e8 } as const;
const RPC_LOG = createLogging({ level: 'fatal', format: 'json', components: [], sinks: null }).logger('rpc');

const COORDINATOR = asNodeProcess('coordinator:1/first');

/** A node that can run tasks, on ports of its own. */
export interface TestNode {
  readonly kernel: Kernel;
  readonly agent: StorageAgent;
  readonly shuffle: Shuffle;
  readonly distExec: DistExec;
  readonly shuffleAddress: string;
  /** The node's tasks as another node uses them. */
  readonly remote: RemoteTasks;
  ping(from?: string): Promise<{ readonly runningTasks: number; readonly exchangeBytes: bigint }>;
  run(task: Task, options?: Partial<RunRemoteTaskOptions>): Promise<TaskOutcome>;
  /** The block with the complete output of a task. */
  block(task: Task, outcome: TaskOutcome): ShuffleBlock;
  /** Opens another connection to the node. */
  connect(): { readonly remote: RemoteTasks; cut(): void };
  /** Stops answering other nodes, after the running tasks or `graceMs`. */
  stopServing(graceMs: number): Promise<void>;
}

export interface TestNodeOptions extends Partial<DistExecOptions> {
  readonly heartbeatMs?: number;
  /** Memory for outputs. */
  readonly outputBytes?: number;
}

/** Nodes over one object store, which is removed on disposal. */
export class TestNodes implements AsyncDisposable {
  readonly #directory = mkdtempSync(join(tmpdir(), 'tessera-distexec-'));
  readonly storeDirectory = join(this.#directory, 'store');
  readonly #stack = new AsyncDisposableStack();
  readonly nodes: TestNode[] = [];
  #store!: ObjectStore;

  static async open(...options: readonly TestNodeOptions[]): Promise<TestNodes> {
    const nodes = new TestNodes();
    nodes.#stack.defer(() => rmSync(nodes.#directory, { recursive: true, force: true }));
    nodes.#store = await openLocalStore(nodes.storeDirectory, { fsync: false });
    nodes.#stack.defer(() => nodes.#store.close());
    for (const own of options) nodes.nodes.push(await nodes.#openNode(own));
    return nodes;
  }

  async #openNode(options: TestNodeOptions): Promise<TestNode> {
    const node = asNodeName(`node${this.nodes.length}`);
    const directory = join(this.#directory, node);
    const readableDirectories = ['staged', 'tablets'].map((name) => join(directory, name));
    for (const path of readableDirectories) mkdirSync(path, { recursive: true });
    const kernel = await startKernel({
      directory: join(directory, 'kernel'),
      readableDirectories,
      memoryLimitBytes: 5e8,
      threads: 2,
      bootstrap: agentBootstrap,
      log: LOG,
    });
    this.#stack.defer(() => kernel.close());
    const agent = await openStorageAgent({
      store: this.#store,
      kernel,
      directory: join(directory, 'tablets'),
      log: LOG,
    });
    this.#stack.defer(() => agent.close());
    const shuffle = openShuffle({
      directory: join(directory, 'exchange'),
      node,
      incarnation: newIncarnation(),
      channel,
      memoryBytes: options.outputBytes,
      log: LOG,
    });
    this.#stack.defer(() => shuffle.close());
    const shuffleServer = await serve(shuffleService(shuffle));
    this.#stack.defer(() => shuffleServer.close(0));
    const shuffleAddress = `127.0.0.1:${shuffleServer.port}`;
    const tablets = {
      store: this.#store,
      storeId: 'test',
      stagingRoot: join(directory, 'staged'),
      header: HEADER,
    };
    const services = { kernel, agent, shuffle, tablets };
    const distExec = openDistExec({ ...services, node, shuffleAddress, log: LOG, ...options });
    this.#stack.defer(() => distExec.close());
    const service = distExecService(distExec, {
      kernel,
      version: '1',
      startedAtMs: 0,
      threads: 2,
      heartbeatMs: options.heartbeatMs ?? 60_000,
      status: () => 'running',
      listQueries: async () => [{ query_id: 'q1' }],
      runningQueries: () => 1,
      cancelQuery: (queryId, { ofUser = 'ada' }) => queryId === 'q1' && ofUser === 'ada',
      log: LOG,
    });
    this.#stack.defer(() => service.close());
    const server = await serve(service);
    this.#stack.defer(() => server.close(0));
    const address = `127.0.0.1:${server.port}`;
    const own = channel(address);
    this.#stack.defer(() => own.close());
    const client = own.client(DistExecService);
    const remote = remoteTasks(client);
    const { incarnation } = distExec;
    return {
      kernel,
      agent,
      shuffle,
      distExec,
      shuffleAddress,
      remote,
      ping: (from = COORDINATOR) => client.ping({ from }),
      run: (task, more) =>
        remote.runTask(task, {
          incarnation,
          coordinator: COORDINATOR,
          signal: new AbortController().signal,
          timeoutMs: 0,
          ...more,
        }),
      block: ({ key }, { rows }) => ({ producer: key, address: shuffleAddress, incarnation, rows }),
      connect: () => {
        const other = channel(address);
        this.#stack.defer(() => other.close());
        return { remote: remoteTasks(other.client(DistExecService)), cut: () => other.close() };
      },
      stopServing: (graceMs) => server.close(graceMs),
    };
  }

  /** Stores the rows of `sql` as tablets of a table. */
  async store(table: TableObject, sql: string, maxBytes = 2e9): Promise<Tablet[]> {
    const session = await this.nodes[0]!.kernel.session();
    const directory = join(this.#directory, 'node0', 'staged', newUlid());
    mkdirSync(directory, { recursive: true });
    const columns = table.columns.map((c) => `CAST("${c.name}" AS ${c.type}) AS "${c.storedName}"`);
    const tablets: Tablet[] = [];
    try {
      const written = writeTablets({
        session,
        table,
        sql: `SELECT ${columns.join(', ')} FROM (${sql})`,
        partitionSql: [],
        directory,
        minBytes: maxBytes / 2,
        maxBytes,
        header: HEADER,
        signal: new AbortController().signal,
      });
      for await (const { path, tablet } of written) {
        const key = `tablets/${table.id}/${tablet.id}.parquet`;
        await this.#store.putFile(key, path);
        tablets.push({ ...tablet, key });
      }
    } finally {
      await session.close();
      await rm(directory, { recursive: true });
    }
    return tablets;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#stack.disposeAsync();
  }
}

const channel = (address: string) =>
  openRpcChannel({
    address,
    clusterToken: undefined,
    unanswered: (reason) => TesseraError.of('NODE_LOST', { node: address, reason }),
  });

const serve = (service: Parameters<typeof startRpcServer>[0]['services'][number]) =>
  startRpcServer({ host: '127.0.0.1', port: 0, services: [service], clusterToken: undefined, log: RPC_LOG });

/** A table with columns `name: type`. */
export function testTable(columns: Readonly<Record<string, string>>): TableObject {
  const now = new Date().toISOString();
  return {
    kind: 'table',
    id: newUlid() as ObjectId,
    name: 'facts',
    createdAt: now,
    alteredAt: now,
    owner: 'test',
    schemaId: newUlid() as ObjectId,
    tableType: 'FACT',
    columns: Object.entries(columns).map(
      ([name, type], i): Column => ({
        id: i + 1,
        name,
        storedName: `${name}_stored`,
        type,
        nullable: true,
        since: 1,
      }),
    ),
    primaryIndex: [],
    partitionBy: [],
    indexGranularity: 2048,
    schemaVersion: 1,
    nextColumnId: Object.keys(columns).length + 1,
    indexes: [],
  };
}

let tasks = 0;

/** A task of one stage over its sources, in this order. */
export const taskOf = (
  sql: Task['sql'],
  columns: Task['output']['columns'],
  more: Partial<Task> = {},
): Task => ({
  key: { queryId: asQueryId('q1'), run: 0, stage: 0, task: tasks++, attempt: 0 },
  sql,
  sources: [],
  output: { columns, hashKeys: [], summarised: [] },
  timeZone: 'UTC',
  ...more,
});
