import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { until } from '../cluster/until.ts';
import type { TesseraProcess } from '../tessera-process.ts';

export interface Times {
  /** The interval between two probes of a node. */
  readonly probeEveryMs: number;
  /** The delay between a change and the time when load balancers act on it. */
  readonly heardAfterMs: number;
}

const UNREADY_AFTER = 2;

/**
 * The nodes that get new connections, by the rules of Kubernetes: those whose probe succeeds, until they are
 * about to terminate. Load balancers learn about changes with a delay.
 */
export class Endpoints implements AsyncDisposable {
  readonly #times: Times;
  readonly #known = new Map<number, TesseraProcess>();
  readonly #probing = new Map<number, AbortController>();
  readonly #work = new Set<Promise<void>>();

  constructor(times: Times) {
    this.#times = times;
  }

  get nodes(): readonly TesseraProcess[] {
    return [...this.#known.values()];
  }

  /** Resolves when load balancers send it connections. */
  async add(n: number, node: TesseraProcess): Promise<void> {
    const stop = new AbortController();
    this.#probing.set(n, stop);
    this.#run(this.#probe(n, node, stop.signal));
    await until(`node ${n} is an endpoint`, 60_000, () => this.#known.get(n) === node);
  }

  /** Marks the node as terminating: from now on its readiness is not probed. */
  terminate(n: number): void {
    this.#probing.get(n)?.abort();
    this.#run(this.#tell(() => this.#known.delete(n)));
  }

  async #probe(n: number, node: TesseraProcess, stopped: AbortSignal): Promise<void> {
    let failures = 0;
    let isReady = false;
    for (; !stopped.aborted; await pause(this.#times.probeEveryMs)) {
      const answer = await fetch(`${node.healthUrl}/health/ready`).catch(() => undefined);
      failures = answer?.status === 200 ? 0 : failures + 1;
      if (stopped.aborted) return;
      if (isReady && failures >= UNREADY_AFTER) this.#run(this.#tell(() => this.#known.delete(n)));
      if (!isReady && failures === 0)
        this.#run(this.#tell(() => stopped.aborted || this.#known.set(n, node)));
      isReady = failures === 0 || (isReady && failures < UNREADY_AFTER);
    }
  }

  async #tell(change: () => unknown): Promise<void> {
    await pause(this.#times.heardAfterMs);
    change();
  }

  #run(work: Promise<void>): void {
    const done = work.finally(() => this.#work.delete(done));
    this.#work.add(done);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const stop of this.#probing.values()) stop.abort();
    await Promise.all(this.#work);
  }
}

/** Assigns each new connection to one of the endpoints; open connections stay where they are. */
export class TcpBalancer implements AsyncDisposable {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #next = 0;

  private constructor(endpoints: Endpoints, portOf: (node: TesseraProcess) => number) {
    this.#server = createServer({ allowHalfOpen: true, noDelay: true }, (client) => {
      const nodes = endpoints.nodes;
      const node = nodes[this.#next++ % nodes.length];
      if (node === undefined) return void client.destroy();
      const server = connect({ host: '127.0.0.1', port: portOf(node), allowHalfOpen: true, noDelay: true });
      this.#joined(client, server);
    });
  }

  static async start(endpoints: Endpoints, portOf: (node: TesseraProcess) => number): Promise<TcpBalancer> {
    const balancer = new TcpBalancer(endpoints, portOf);
    balancer.#server.listen(0, '127.0.0.1');
    await once(balancer.#server, 'listening');
    return balancer;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  #joined(client: Socket, server: Socket): void {
    for (const [one, other] of [
      [client, server],
      [server, client],
    ] as const) {
      this.#sockets.add(one);
      one.once('close', () => this.#sockets.delete(one));
      // If one side is cut off, the other side is cut off too.
      one.once('error', () => other.resetAndDestroy());
      one.pipe(other);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
    await once(this.#server, 'close');
  }
}
