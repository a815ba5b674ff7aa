import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type S3DevServer, startS3DevServer } from '@tessera/object-store';
import { createDataDirectory } from '../../data-directory.ts';
import { Connection } from '../query/server.ts';
import { clusterConfig, PASSWORD_VARIABLE, serveArguments } from './cluster-config.ts';
import { type ClusterLogin, clusterIdentity, clusterLogin } from './identity.ts';
import { NodeHandle } from './node-handle.ts';
import { type ClusterPorts, clusterPorts } from './ports.ts';

export interface DevClusterParts {
  readonly nodes: number;
  /** Created if it does not exist. */
  readonly directory: string;
  readonly basePort: number | undefined;
  readonly restart: boolean;
  /** Whether users have to log in. */
  readonly nativeAuth: boolean;
  /** Aborts if the start should be given up. */
  readonly signal: AbortSignal;
  /** Reports events of nodes to the user. */
  readonly tell: (line: string) => void;
}

export interface DevNode {
  readonly index: number;
  /** The node's name in the cluster: `host:port` of its distexec service. */
  readonly name: string;
  readonly url: string;
  /** The `host:port` of the PostgreSQL protocol. */
  readonly postgres: string;
  readonly healthUrl: string;
  readonly metricsUrl: string;
  readonly pid: number;
  readonly logPath: string;
}

const RESTART_AFTER_MS = 1_000;
const READY_WITHIN_MS = 120_000;
const ASK_EVERY_MS = 100;
/** Longer than the grace period of the nodes' configuration. */
const KILL_AFTER_MS = 20_000;

/** An object store in this process, and nodes in processes of their own. */
export class DevCluster implements AsyncDisposable {
  readonly #parts: DevClusterParts;
  readonly #ports: ClusterPorts;
  readonly #store: S3DevServer;
  readonly #env: Readonly<Record<string, string>>;
  readonly #configPath: string;
  /** The user to log in as; undefined without authentication. */
  readonly login: ClusterLogin | undefined;
  readonly #nodes = new Map<number, NodeHandle>();
  readonly #watching = new Set<Promise<void>>();
  readonly #stopping = new AbortController();
  readonly #allGone = Promise.withResolvers<void>();

  private constructor(
    parts: DevClusterParts,
    opened: {
      ports: ClusterPorts;
      store: S3DevServer;
      env: Record<string, string>;
      configPath: string;
      login: ClusterLogin | undefined;
    },
  ) {
    this.#parts = parts;
    this.#ports = opened.ports;
    this.#store = opened.store;
    this.#env = opened.env;
    this.#configPath = opened.configPath;
    this.login = opened.login;
  }

  /**
   * Resolves when every node is ready and sees all others. @throws Error with the last log lines of a node
   * that did not start
   */
  static async start(parts: DevClusterParts): Promise<DevCluster> {
    const { directory } = parts;
    await createDataDirectory(directory);
    const identity = await clusterIdentity(directory);
    const login = parts.nativeAuth ? await clusterLogin(directory) : undefined;
    const ports = await clusterPorts(parts.nodes, parts.basePort);
    const store = await startS3DevServer({
      directory: join(directory, 'store'),
      port: ports.store,
      credentials: identity.store,
    });
    const configPath = join(directory, 'tessera.json');
    await writeFile(
      configPath,
      JSON.stringify(clusterConfig(identity, ports, store.endpoint, login), null, 2),
    );
    const env = {
      AWS_ACCESS_KEY_ID: identity.store.accessKeyId,
      AWS_SECRET_ACCESS_KEY: identity.store.secretAccessKey,
      TESSERA_CLUSTER_TOKEN: identity.clusterToken,
      ...(login && { [PASSWORD_VARIABLE]: login.password }),
    };
    const cluster = new DevCluster(parts, { ports, store, env, configPath, login });
    try {
      for (let n = 0; n < parts.nodes; n++) cluster.#startNode(n);
      await cluster.#untilWhole();
      return cluster;
    } catch (error) {
      await cluster[Symbol.asyncDispose]();
      throw error;
    }
  }

  get storeEndpoint(): string {
    return this.#store.endpoint;
  }

  get configPath(): string {
    return this.#configPath;
  }

  /** The nodes that are running. */
  get nodes(): readonly DevNode[] {
    return [...this.#nodes.values()]
      .sort((a, b) => a.index - b.index)
      .map(({ index, pid, logPath }) => {
        const ports = this.#ports.nodes[index]!;
        return {
          index,
          name: `127.0.0.1:${ports.distexec}`,
          url: `http://127.0.0.1:${ports.http}`,
          postgres: `127.0.0.1:${ports.postgres}`,
          healthUrl: `http://127.0.0.1:${ports.health}`,
          metricsUrl: `http://127.0.0.1:${ports.metrics}`,
          pid,
          logPath,
        };
      });
  }

  /** Resolves when no node is running and none will be restarted. */
  get allGone(): Promise<void> {
    return this.#allGone.promise;
  }

  /** Kills all nodes at once instead of letting their queries finish. */
  kill(): void {
    for (const node of this.#nodes.values()) node.signal('SIGKILL');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopping.abort();
    for (const node of this.#nodes.values()) node.signal('SIGTERM');
    const kill = setTimeout(() => this.kill(), KILL_AFTER_MS);
    await Promise.all([...this.#watching]);
    clearTimeout(kill);
    await this.#store.close();
  }

  #startNode(index: number): void {
    const { directory } = this.#parts;
    const dataDirectory = join(directory, `node-${index}`);
    const node = new NodeHandle({
      index,
      args: serveArguments(index, this.#ports.nodes[index]!, this.#configPath, dataDirectory),
      env: this.#env,
      logPath: join(directory, `node-${index}.log`),
    });
    this.#nodes.set(index, node);
    const watching = this.#watch(node).finally(() => this.#watching.delete(watching));
    this.#watching.add(watching);
  }

  async #watch(node: NodeHandle): Promise<void> {
    const { restart, tell } = this.#parts;
    const { index, pid } = node;
    const { reason } = await node.ended;
    this.#nodes.delete(index);
    if (this.#stopping.signal.aborted) return;
    tell(`Node ${index} (process ${pid}) ended: ${reason}${restart ? '; it is started again' : ''}`);
    if (!restart) {
      if (this.#nodes.size === 0) this.#allGone.resolve();
      return;
    }
    const { signal } = this.#stopping;
    await delay(RESTART_AFTER_MS, undefined, { signal }).catch(() => undefined);
    if (signal.aborted) return;
    this.#startNode(index);
    tell(`Node ${index} is process ${this.#nodes.get(index)!.pid} now`);
  }

  async #untilWhole(): Promise<void> {
    const giveUp = AbortSignal.any([AbortSignal.timeout(READY_WITHIN_MS), this.#parts.signal]);
    const dead = Promise.race(
      [...this.#nodes.values()].map(async (node) => {
        const { reason } = await node.ended;
        throw new Error(`node ${node.index} did not start (${reason}):\n${await node.lastWords()}`);
      }),
    );
    const ready = Promise.all(this.nodes.map(({ url }) => this.#untilItSeesAll(url, giveUp)));
    ready.catch(() => undefined);
    await Promise.race([ready, dead]);
    // A process that ends later is reported by its watch.
    dead.catch(() => undefined);
  }

  async #untilItSeesAll(url: string, giveUp: AbortSignal): Promise<void> {
    const seen = "SELECT count(*) FROM information_schema.nodes WHERE status = 'RUNNING'";
    await using resources = new AsyncDisposableStack();
    const connection = new Connection({ url, login: this.login });
    resources.defer(() => connection.close());
    while ((await countOf(connection, seen, giveUp)) !== this.#parts.nodes) {
      if (giveUp.aborted) throw new Error(`${url} does not see all nodes of the cluster`);
      await delay(ASK_EVERY_MS);
    }
  }
}

/** The single number that a query returns; undefined while no node answers. */
async function countOf(
  connection: Connection,
  sql: string,
  signal: AbortSignal,
): Promise<number | undefined> {
  try {
    const parameters = { output_format: 'TabSeparatedWithNames' };
    const answer = await connection.post({ path: '/', parameters, body: sql, signal });
    const text = await answer.body.text();
    return answer.statusCode === 200 ? Number(text.split('\n')[1]) : undefined;
  } catch {
    return undefined;
  }
}
