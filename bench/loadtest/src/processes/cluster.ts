import { rmSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from '@tessera/common';
import { Connection } from '../http/connection.ts';
import { cpuSeconds } from './cpu-time.ts';
import type { DevStore } from './dev-store.ts';
import { promotionsDone } from './promotions.ts';
import { type OwnNode, startTessera } from './tessera.ts';
import { undoneAtExit } from './undone-at-exit.ts';

const SERVICES = ['storage_manager', 'storage_agent', 'distexec', 'shuffle'] as const;
type Place = { readonly host: string } & Readonly<Record<`${(typeof SERVICES)[number]}_port`, number>>;

/** A long limit, because nodes that start on a busy machine take turns. */
const WHOLE_WITHIN_MS = 180_000;
const POLL_MS = 50;

export interface ClusterOptions {
  readonly store: DevStore;
  /** The id of the engine; clusters with the same id share their tables. */
  readonly instanceId: string;
  /** 0 means a single node without a cluster, on the same store. */
  readonly nodes: number;
  /** Further blocks of the configuration. */
  readonly engine?: object;
  readonly execution?: object;
  readonly storage?: object;
  readonly planner?: object;
  /** Further arguments of every node. */
  readonly args?: readonly string[];
}

/** Nodes of one engine over one store, each a process with an address of its own. */
export class OwnCluster {
  readonly nodes: readonly OwnNode[];
  readonly #directory: string;
  readonly #callOff: () => void;

  private constructor(nodes: readonly OwnNode[], directory: string) {
    this.nodes = nodes;
    this.#directory = directory;
    this.#callOff = undoneAtExit(() => rmSync(directory, { recursive: true, force: true }));
  }

  /** Resolves when all nodes run and know each other. */
  static async start(options: ClusterOptions): Promise<OwnCluster> {
    const { store, instanceId, nodes, engine, execution, storage, planner, args = [] } = options;
    const directory = await mkdtemp(join(tmpdir(), 'tessera-loadtest-cluster-'));
    const places = await Promise.all(Array.from({ length: nodes }, (_, n) => placeOf(`127.0.0.${n + 1}`)));
    const config = join(directory, 'engine.json');
    await writeFile(
      config,
      JSON.stringify({
        schema_version: '1.0',
        instance: { id: instanceId },
        storage: { type: 'minio', minio: { endpoint: store.endpoint }, ...storage },
        engine: { ...engine, ...(nodes > 0 && { nodes: places }) },
        execution: { ...execution },
        planner: { ...planner },
      }),
    );
    const { env } = store;
    const own =
      nodes === 0
        ? [await startTessera({ args: ['--config', config, ...args], env })]
        : await Promise.all(
            places.map((place, n) =>
              startTessera({
                args: ['--config', config, '--node', String(n), ...portsOf(place), ...args],
                env,
              }),
            ),
          );
    const cluster = new OwnCluster(own, directory);
    try {
      await cluster.#whole();
    } catch (error) {
      await cluster.stop();
      throw error;
    }
    return cluster;
  }

  /** The address for statements. */
  get url(): string {
    return this.nodes[0]!.url;
  }

  /** The CPU seconds of each node so far, including its kernels. */
  cpuSeconds(): readonly number[] {
    return this.nodes.map(({ pid }) => cpuSeconds(pid!));
  }

  /** Resolves when every node has finished loading tables into memory. */
  async settled(): Promise<void> {
    for (const { metricsUrl } of this.nodes) await promotionsDone(metricsUrl);
  }

  async stop(): Promise<void> {
    await Promise.all(this.nodes.map((node) => node.stop()));
    await rm(this.#directory, { recursive: true, force: true });
    this.#callOff();
  }

  async #whole(): Promise<void> {
    for (const { url } of this.nodes) {
      const connection = new Connection(url);
      const deadline = performance.now() + WHOLE_WITHIN_MS;
      while ((await running(connection)) < this.nodes.length) {
        if (performance.now() > deadline)
          throw new Error(`The nodes do not see each other: ${await statusOf(connection)}`);
        await pause(POLL_MS);
      }
      await connection.close();
    }
  }
}

/** The number of nodes that this one sees as alive; 0 while it is not ready. */
async function running(connection: Connection): Promise<number> {
  const sql = `SELECT count(*)::int FROM information_schema.nodes WHERE status = 'RUNNING'`;
  const { text } = await connection.run(sql).catch(() => ({ text: '\n0' }));
  return Number(text.split('\n')[1]);
}

/** A node's view of the others, or its error. */
async function statusOf(connection: Connection): Promise<string> {
  try {
    const { text } = await connection.run('SELECT * FROM information_schema.nodes');
    return text;
  } catch (error) {
    return String(error);
  }
}

async function placeOf(host: string): Promise<Place> {
  const ports: [string, number][] = [];
  const taken = new Set<number>();
  for (const service of SERVICES) ports.push([`${service}_port`, await freePort(host, taken)]);
  return { host, ...Object.fromEntries(ports) } as Place;
}

const portsOf = (place: Place): string[] =>
  SERVICES.flatMap((service) => [`--${service.replace('_', '-')}-port`, String(place[`${service}_port`])]);
