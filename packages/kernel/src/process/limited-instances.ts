import { createServer, type Socket } from 'node:net';
import { type InstanceOptions, NativeInstance, type SpaceLimits, setSpace } from '../instance/instance.ts';
import type { NativeConnection } from '../native/connection.ts';
import type { MemoryUse } from '../protocol/messages.ts';
import { memoryUse } from './memory-use.ts';

/** The least fraction of the space of the process that the other instance has, and that all limited instances together have. */
const LEAST_SHARE = 1 / 3;
/** Beyond these, a session gets an instance with fewer threads than it asks for. */
const MAX_INSTANCES = 8;
/** How long an instance stays open after its last session. */
const IDLE_MS = 10_000;
/** How often the space is divided again, and idle instances are closed. */
const CHECK_MS = 500;

type Use = Omit<MemoryUse, 'limitBytes'>;

export interface LimitedInstancesOptions {
  /** The options of the instance of all other sessions. */
  readonly instance: InstanceOptions;
  readonly socketPath: string;
  /** A connection of the other instance, which runs one statement at a time, in its turn. */
  readonly others: NativeConnection;
  serve(instance: NativeInstance, socket: Socket): void;
  /** Called with the number of threads of all limited instances before they are started and when they have ended. */
  onThreads(threads: number): void;
  /** Runs functions one after the other. */
  inTurn<T>(run: () => Promise<T>): Promise<T>;
}

interface LimitedInstance {
  readonly instance: NativeInstance;
  /** Not counted among the connections of its sessions. */
  readonly control: NativeConnection;
  usedAtMs: number;
}

/**
 * Further databases of the process, each with the number of threads that sessions ask for: a database has one number of threads
 * for all of its statements. They have the functions of the other instance, and none of its tables. An instance is opened for its
 * first session and closed some time after its last one. Meanwhile the space of the process is divided between the other instance
 * and these: each side has what it uses, and half of what neither uses.
 */
export class LimitedInstances {
  readonly #o: LimitedInstancesOptions;
  readonly #listening = new Map<number, Promise<string>>();
  readonly #open = new Map<number, LimitedInstance>();
  #space: SpaceLimits;
  #check: NodeJS.Timeout | undefined;

  constructor(options: LimitedInstancesOptions) {
    this.#o = options;
    this.#space = options.instance;
  }

  /** The path of the socket for sessions with this number of threads. */
  socketFor(threads: number): Promise<string> {
    let listening = this.#listening.get(threads);
    if (listening === undefined) {
      const path = `${this.#o.socketPath}-${threads}`;
      const server = createServer((socket) => void this.#serve(threads, socket));
      listening = new Promise((resolve, reject) => {
        server.once('error', reject).listen(path, () => resolve(path));
      });
      this.#listening.set(threads, listening);
    }
    return listening;
  }

  async #serve(threads: number, socket: Socket): Promise<void> {
    const onError = () => socket.destroy();
    socket.on('error', onError);
    try {
      await this.#o.inTurn(async () => {
        const limited = await this.#instance(threads);
        limited.usedAtMs = performance.now();
        this.#o.serve(limited.instance, socket);
      });
    } catch {
      // There is no memory for another instance. The session is lost, and its statement is tried again elsewhere.
      socket.destroy();
    }
    socket.off('error', onError);
  }

  async #instance(threads: number): Promise<LimitedInstance> {
    const number = this.#numberFor(threads);
    const known = this.#open.get(number);
    if (known !== undefined) return known;
    const { instance: options } = this.#o;
    this.#o.onThreads(this.#threads + number);
    try {
      const instance = await NativeInstance.open({
        ...options,
        ...partOf(this.#space, LEAST_SHARE),
        spillDirectory: `${options.spillDirectory}-${number}`,
        threads: number,
        // The kernel then starts its threads itself, and ends them.
        cores: number,
      });
      const opened = { instance, control: instance.connect(), usedAtMs: 0 };
      this.#open.set(number, opened);
      await this.#divide();
      this.#check ??= setInterval(() => void this.#o.inTurn(() => this.#checked()), CHECK_MS).unref();
      return opened;
    } finally {
      this.#o.onThreads(this.#threads);
    }
  }

  #numberFor(threads: number): number {
    if (this.#open.has(threads) || this.#open.size < MAX_INSTANCES) return threads;
    return Math.max(1, ...[...this.#open.keys()].filter((number) => number < threads));
  }

  get #threads(): number {
    return [...this.#open.keys()].reduce((sum, number) => sum + number, 0);
  }

  async #checked(): Promise<void> {
    for (const [number, { instance, control, usedAtMs }] of this.#open) {
      if (instance.connections > 1 || performance.now() - usedAtMs < IDLE_MS) continue;
      this.#open.delete(number);
      await control.close();
      await instance.close();
      this.#o.onThreads(this.#threads);
    }
    await this.#divide();
    if (this.#open.size > 0) return;
    clearInterval(this.#check);
    this.#check = undefined;
  }

  /** Divides other space from now on. Must be called in turn. */
  async setSpace(space: SpaceLimits): Promise<void> {
    this.#space = space;
    await this.#divide();
  }

  async #divide(): Promise<void> {
    const { size } = this.#open;
    const share = size === 0 ? 1 : await this.#shareOfOthers();
    await limit(this.#o.others, partOf(this.#space, share));
    for (const { control } of this.#open.values())
      await limit(control, partOf(this.#space, (1 - share) / size));
  }

  async #shareOfOthers(): Promise<number> {
    const [others, limited] = [await memoryUse(this.#o.others, 0), await this.memoryUse()];
    const more = others.usedBytes - limited.usedBytes;
    const share = (1 + more / this.#space.memoryLimitBytes) / 2;
    return Math.min(1 - LEAST_SHARE, Math.max(LEAST_SHARE, share));
  }

  /** Must be called in turn. */
  async memoryUse(): Promise<Use> {
    const total = { usedBytes: 0, spilledBytes: 0 };
    for (const { control } of this.#open.values()) {
      const use = await memoryUse(control, 0);
      total.usedBytes += use.usedBytes;
      total.spilledBytes += use.spilledBytes;
    }
    return total;
  }
}

const partOf = ({ memoryLimitBytes, spillLimitBytes }: SpaceLimits, share: number): SpaceLimits => ({
  memoryLimitBytes: memoryLimitBytes * share,
  spillLimitBytes: spillLimitBytes === undefined ? undefined : spillLimitBytes * share,
});

/** The kernel spills what exceeds a limit. If it cannot, it keeps its current limit. */
async function limit(connection: NativeConnection, space: SpaceLimits): Promise<void> {
  for (const statement of setSpace(space)) await connection.run(statement).catch(() => undefined);
}
