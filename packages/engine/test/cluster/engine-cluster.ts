import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newUlid } from '@tessera/common';
import { rows } from '../http.ts';
import { startTessera, type TesseraProcess } from '../tessera-process.ts';
import { freePorts } from './free-ports.ts';
import { type SharedStore, startSharedStore } from './shared-store.ts';
import { until } from './until.ts';

export interface EngineClusterOptions {
  readonly nodes: number;
  /** If absent, the cluster has a store of its own. */
  readonly store?: SharedStore | undefined;
  /** The `instance.id`; by default the cluster is an instance of its own. */
  readonly instance?: string | undefined;
  /** The `host:port` of the metadata service, if the cluster belongs to an instance of several engines. */
  readonly metadataEndpoint?: string | undefined;
  /** Further blocks of the configuration. */
  readonly engine?: object;
  readonly execution?: object;
  readonly planner?: object;
  readonly storage?: object;
  /**
   * With authentication, the cluster is opened and its nodes are started one by one, without waiting until it
   * is complete.
   */
  readonly auth?: object;
  /** The environment of every node. */
  readonly env?: Readonly<Record<string, string>>;
  /** Further arguments of every node. */
  readonly args?: readonly string[];
  /**
   * Whether nodes reuse results. By default they do not, because most tests repeat queries to see how they are executed.
   */
  readonly reusesResults?: boolean;
  /** Whether some of its nodes run an earlier version, which knows only the options of that version. */
  readonly earlierVersion?: boolean;
  /** The addresses of the nodes; by default each has a loopback address and free ports. */
  readonly places?: readonly NodePlace[] | undefined;
}

export interface NodePlace {
  readonly host: string;
  readonly storage_manager_port: number;
  readonly storage_agent_port: number;
  readonly distexec_port: number;
  readonly shuffle_port: number;
}

export interface NodeStart {
  readonly env?: Readonly<Record<string, string>>;
  readonly args?: readonly string[];
  /**
   * A command that runs the node: it gets the node's command as further arguments and replaces itself by it.
   */
  readonly runBy?: readonly string[];
}

/** The cluster token of every cluster in tests. */
export const CLUSTER_TOKEN = 'a-token-of-these-tests';

/** Any process may lock that much by default. */
export const EXCHANGE_BUFFER_BYTES = 4 << 20;

const WHOLE_WITHIN_MS = 60_000;

/**
 * Real nodes of one engine over one bucket. Each is a process that can be stopped, killed and restarted at
 * its address.
 */
export class EngineCluster implements AsyncDisposable {
  readonly places: readonly NodePlace[];
  readonly #running: (TesseraProcess | undefined)[] = [];
  /** The logs of processes that are gone. */
  readonly #ended: TesseraProcess[] = [];
  readonly #directory: string;
  readonly #configPath: string;
  readonly #store: SharedStore;
  readonly #stack: AsyncDisposableStack;
  readonly #env: Readonly<Record<string, string>>;
  readonly #args: readonly string[];

  private constructor(parts: {
    places: readonly NodePlace[];
    directory: string;
    configPath: string;
    store: SharedStore;
    stack: AsyncDisposableStack;
    env: Readonly<Record<string, string>>;
    args: readonly string[];
  }) {
    this.places = parts.places;
    this.#directory = parts.directory;
    this.#configPath = parts.configPath;
    this.#store = parts.store;
    this.#stack = parts.stack;
    this.#env = parts.env;
    this.#args = parts.args;
  }

  /** Opens the cluster without starting nodes; only the store runs. */
  static async open({
    nodes,
    store,
    instance = newUlid(),
    metadataEndpoint,
    env,
    args = [],
    reusesResults = false,
    earlierVersion = false,
    places: given,
    ...blocks
  }: EngineClusterOptions): Promise<EngineCluster> {
    await using stack = new AsyncDisposableStack();
    const directory = await mkdtemp(join(tmpdir(), 'tessera-cluster-'));
    stack.defer(() => rm(directory, { recursive: true, force: true }));
    const places =
      given ?? (await Promise.all(Array.from({ length: nodes }, (_, n) => placeOf(`127.0.0.${n + 1}`))));
    const shared = store ?? stack.use(await startSharedStore());
    const configPath = join(directory, 'engine.json');
    const config = {
      schema_version: '1.0',
      instance: {
        id: instance,
        ...(metadataEndpoint !== undefined && {
          type: 'multi_engine',
          multi_engine: { metadata_endpoint: metadataEndpoint },
        }),
      },
      storage: { type: 'minio', minio: { endpoint: shared.endpoint }, ...blocks.storage },
      engine: { ...blocks.engine, nodes: places },
      execution: { ...blocks.execution },
      planner: { ...blocks.planner },
      ...(blocks.auth && { auth: blocks.auth }),
    };
    await writeFile(configPath, JSON.stringify(config));
    const reuse = reusesResults ? [] : ['--result-cache-bytes', '0'];
    const buffers = earlierVersion ? [] : ['--exchange-buffer-bytes', String(EXCHANGE_BUFFER_BYTES)];
    const parts = {
      places,
      directory,
      configPath,
      store: shared,
      env: env ?? {},
      args: [...reuse, ...buffers, ...args],
    };
    return new EngineCluster({ ...parts, stack: stack.move() });
  }

  /** Starts a cluster; all nodes run and know each other. */
  static async start(options: EngineClusterOptions): Promise<EngineCluster> {
    const cluster = await EngineCluster.open(options);
    try {
      await Promise.all(cluster.places.map((_, n) => cluster.startNode(n)));
      await cluster.untilWhole();
      return cluster;
    } catch (error) {
      await cluster[Symbol.asyncDispose]();
      throw error;
    }
  }

  get size(): number {
    return this.places.length;
  }

  /** The node, for sending statements. @throws Error if it is not running */
  node(n: number): TesseraProcess {
    const found = this.#running[n];
    if (found === undefined) throw new Error(`node ${n} does not run`);
    return found;
  }

  /** The node's name in system views. */
  nameOf(n: number): string {
    const { host, distexec_port: port } = this.places[n]!;
    return `${host}:${port}`;
  }

  dataDirectory(n: number): string {
    return join(this.#directory, `data-${n}`);
  }

  /** Starts a node at its address, with its former data directory. */
  async startNode(n: number, { env, args = [], runBy = [] }: NodeStart = {}): Promise<TesseraProcess> {
    const place = this.places[n]!;
    const node = await startTessera({
      dataDirectory: this.dataDirectory(n),
      args: ['--config', this.#configPath, '--node', String(n), ...fixedPorts(place), ...this.#args, ...args],
      env: {
        TESSERA_CLUSTER_TOKEN: CLUSTER_TOKEN,
        ...this.#store.env,
        ...this.#env,
        ...env,
      },
      runBy,
    });
    this.#running[n] = node;
    return node;
  }

  /** The nodes that are not running. */
  stopped(): number[] {
    return [...this.places.keys()].filter((n) => this.#running[n] === undefined);
  }

  /** Sends SIGKILL and resolves when the process is gone. */
  async kill(n: number): Promise<void> {
    const node = this.node(n);
    this.#running[n] = undefined;
    this.#ended.push(node);
    await node.stop('SIGKILL');
  }

  /** Sends SIGTERM and resolves with the exit code when the process is gone. */
  async stop(n: number): Promise<number | null> {
    const node = this.node(n);
    const code = await node.stop('SIGTERM');
    this.#running[n] = undefined;
    this.#ended.push(node);
    return code;
  }

  /** Sends SIGSTOP: the node keeps its connections and answers nothing. */
  pause(n: number): void {
    this.node(n).child.kill('SIGSTOP');
  }

  /** Sends SIGCONT. */
  resume(n: number): void {
    this.node(n).child.kill('SIGCONT');
  }

  /** Waits until every running node is ready and sees all others as alive. */
  async untilWhole(): Promise<void> {
    const living = this.#running.flatMap((node) => node ?? []);
    const names = this.places.map((_, n) => this.nameOf(n));
    for (const node of living) {
      await until('a node is ready', WHOLE_WITHIN_MS, async () => {
        return (await fetch(`${node.healthUrl}/health/ready`)).status === 200;
      });
      await until(`a node sees ${living.length}`, WHOLE_WITHIN_MS, async () => {
        return (await runningNodes(node, names)) === living.length;
      });
    }
  }

  /** All log records of all nodes from a level on, one per line. */
  logs(minimum: 'debug' | 'info' | 'warn' = 'warn'): string {
    const levels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal'];
    const from = levels.indexOf(minimum);
    return [...this.#ended, ...this.#running.flatMap((node) => node ?? [])]
      .flatMap(({ log, dataDirectory }) =>
        log
          .filter(({ level }) => levels.indexOf(String(level)) >= from)
          .map((record) => `${dataDirectory.slice(-1)} ${JSON.stringify(record)}`),
      )
      .join('\n');
  }

  /** The files below a node's data directory whose path contains the text. */
  async filesOf(n: number, text: string): Promise<string[]> {
    const all = await readdir(this.dataDirectory(n), { recursive: true });
    return all.filter((path) => path.includes(text));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(
      this.#running.map(async (node) => {
        // A stopped process handles no other signal.
        node?.child.kill('SIGCONT');
        await node?.stop('SIGKILL');
      }),
    );
    await this.#stack.disposeAsync();
  }
}

/** A place for a node at this machine's address `host`, on free ports. */
export async function placeOf(host: string): Promise<NodePlace> {
  const [manager, agent, distexec, shuffle] = await freePorts(host, 4);
  return {
    host,
    storage_manager_port: manager!,
    storage_agent_port: agent!,
    distexec_port: distexec!,
    shuffle_port: shuffle!,
  };
}

/**
 * Overrides the flags with which tests of single nodes choose free ports: other nodes use the configured
 * ports.
 */
const fixedPorts = (place: NodePlace): string[] =>
  (['storage_manager', 'storage_agent', 'distexec', 'shuffle'] as const).flatMap((service) => [
    `--${service.replace('_', '-')}-port`,
    String(place[`${service}_port`]),
  ]);

/** How many of the nodes with these names the node sees running. */
async function runningNodes(node: TesseraProcess, names: readonly string[]): Promise<number> {
  const found = await rows(
    node,
    `SELECT count(*)::int FROM information_schema.nodes
     WHERE status = 'RUNNING' AND node_name IN (${names.map((name) => `'${name}'`).join()})`,
  );
  return Number(found[0]![0]);
}
