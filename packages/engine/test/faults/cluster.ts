import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { freePort, newUlid } from '@tessera/common';
import { type FaultRule, startProgram } from '../store-servers.ts';
import { startTessera, type TesseraProcess } from '../tessera-process.ts';
import { BucketLog } from './bucket-log.ts';
import { Link } from './link.ts';

const CLOCK = pathToFileURL(join(import.meta.dirname, 'shifted-clock.ts')).href;

interface ProxyFacts {
  readonly endpoint: string;
  readonly control: string;
}

export interface ClusterOptions {
  readonly endpoint: string;
  readonly nodes: number;
  readonly storage?: object;
  readonly engine?: object;
}

export interface NodeStart {
  /** How far the node's clock is ahead. */
  readonly clockShiftMs?: number;
  /** How far the clock jumps at SIGUSR2. */
  readonly clockJumpMs?: number;
  /** Whether the node starts with an empty data directory. */
  readonly fresh?: boolean;
}

/**
 * Nodes over one bucket. Each has a fault-injecting proxy in front of the bucket and a link over which the
 * other nodes reach it.
 */
export class Cluster implements AsyncDisposable {
  readonly bucket: BucketLog;
  readonly links: readonly Link[];
  readonly #nodes: (TesseraProcess | undefined)[] = [];
  readonly #directory: string;
  readonly #proxies: readonly ProxyFacts[];
  readonly #stack: AsyncDisposableStack;
  readonly #addresses: readonly string[];
  /** A node that is alone keeps its port: at another address it would have to wait for the end of its own lease after a kill. */
  readonly #managerPort: number;

  private constructor(parts: {
    bucket: BucketLog;
    links: Link[];
    addresses: string[];
    managerPort: number;
    directory: string;
    proxies: ProxyFacts[];
    stack: AsyncDisposableStack;
  }) {
    this.bucket = parts.bucket;
    this.links = parts.links;
    this.#addresses = parts.addresses;
    this.#managerPort = parts.managerPort;
    this.#directory = parts.directory;
    this.#proxies = parts.proxies;
    this.#stack = parts.stack;
  }

  /** Opens the cluster without starting nodes; only the proxies run. */
  static async open({ endpoint, nodes, storage, engine }: ClusterOptions): Promise<Cluster> {
    await using stack = new AsyncDisposableStack();
    const directory = await mkdtemp(join(tmpdir(), 'tessera-cluster-'));
    stack.defer(() => rm(directory, { recursive: true, force: true }));
    const links: Link[] = [];
    const proxies: ProxyFacts[] = [];
    const places: { host: string; storage_manager_port: number }[] = [];
    for (let n = 0; n < nodes; n++) {
      const link = stack.use(new Link());
      const host = `127.0.0.${n + 1}`;
      places.push({ host, storage_manager_port: await link.start(host) });
      links.push(link);
      const proxy = await startProgram<ProxyFacts>('fault-proxy', endpoint, String(n + 1));
      stack.defer(proxy.stop);
      proxies.push(proxy.facts);
    }
    const id = newUlid();
    const config = (at: string) => ({
      schema_version: '1.0',
      instance: { id },
      storage: { type: 'minio', minio: { endpoint: at }, upload_max_tries: 6, ...storage },
      engine: { ...engine, ...(nodes > 1 ? { nodes: places } : {}) },
    });
    const file = async (name: string, at: string) => {
      const path = join(directory, `${name}.json`);
      await writeFile(path, JSON.stringify(config(at)));
      return path;
    };
    for (const [n, proxy] of proxies.entries()) await file(String(n), proxy.endpoint);
    const bucket = stack.use(await BucketLog.open(await file('bucket', endpoint)));
    const addresses = places.map(({ host, storage_manager_port: port }) => `${host}:${port}`);
    const managerPort = nodes > 1 ? 0 : await freePort('127.0.0.1');
    return new Cluster({ bucket, links, addresses, managerPort, directory, proxies, stack: stack.move() });
  }

  node(n: number): TesseraProcess {
    const found = this.#nodes[n];
    if (found === undefined) throw new Error(`node ${n} does not run`);
    return found;
  }

  /** The number of the node that others reach at `address`. */
  nodeAt(address: string): number {
    return this.#addresses.indexOf(address);
  }

  /** Starts a node with its former files, unless `fresh` is set. */
  async start(
    n: number,
    { clockShiftMs = 0, clockJumpMs = 0, fresh = false }: NodeStart = {},
  ): Promise<void> {
    const dataDirectory = join(this.#directory, `data-${n}`);
    if (fresh) await rm(dataDirectory, { recursive: true, force: true });
    const config = join(this.#directory, `${n}.json`);
    const node = await startTessera({
      dataDirectory,
      args: ['--config', config, '--node', String(n), '--storage-manager-port', String(this.#managerPort)],
      env: {
        TESSERA_CLUSTER_TOKEN: 'a-token-of-these-tests',
        NODE_OPTIONS: `--import ${CLOCK}`,
        TESSERA_TEST_CLOCK_SHIFT_MS: String(clockShiftMs),
        TESSERA_TEST_CLOCK_JUMP_MS: String(clockJumpMs),
      },
    });
    this.#nodes[n] = node;
    this.links[n]!.target = addressOf(node, 'storage-manager');
  }

  /** Sends SIGKILL. */
  async kill(n: number): Promise<void> {
    await this.node(n).stop('SIGKILL');
    this.#nodes[n] = undefined;
  }

  /** Sets the faults between a node and the bucket from now on. */
  async faults(n: number, ...rules: readonly FaultRule[]): Promise<void> {
    const answer = await fetch(this.#proxies[n]!.control, { method: 'PUT', body: JSON.stringify(rules) });
    if (!answer.ok) throw new Error(await answer.text());
  }

  /** The number of requests of the node that each rule has caught. */
  async caught(n: number): Promise<number[]> {
    const states = (await (await fetch(this.#proxies[n]!.control)).json()) as { caught: number }[];
    return states.map((state) => state.caught);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const node of this.#nodes) {
      // A stopped process handles no other signal.
      node?.child.kill('SIGCONT');
      await node?.stop('SIGKILL');
    }
    await this.#stack.disposeAsync();
  }
}

/** The address at which a node listens for other nodes. */
function addressOf({ log }: TesseraProcess, purpose: string): { host: string; port: number } {
  const listening = log.find(({ msg }) => msg === 'listening')!.listeners as string[];
  const url = new URL(listening.find((one) => one.startsWith(`${purpose} `))!.split(' ')[1]!);
  return { host: url.hostname, port: Number(url.port) };
}
