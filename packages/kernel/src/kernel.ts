import { mkdirSync, rmSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { TesseraError } from '@tessera/common';
import {
  KernelProcessHandle,
  type ProcessEvents,
  type ProcessInstance,
} from './client/kernel-process-handle.ts';
import { KernelSession, type SessionPlace } from './client/kernel-session.ts';
import { Quarantine } from './client/quarantine.ts';
import { SharedMemory } from './client/shared-memory.ts';
import { type KernelStatus, Supervisor } from './client/supervisor.ts';
import type { InstanceOptions } from './instance/instance.ts';
import type { KernelLog } from './kernel-log.ts';
import type { MemoryLimits, MemoryUse } from './protocol/messages.ts';

export interface KernelOptions {
  /** Owned by the kernel (for sockets and spill files) and emptied at start. */
  readonly directory: string;
  /** The directories that SQL may read. */
  readonly readableDirectories: readonly string[];
  /**
   * The limit for memory that the kernel accounts for: tables, sorts, joins, groups. Beyond it, queries spill
   * to disk.
   */
  readonly memoryLimitBytes: number;
  /**
   * The memory ceiling of all kernel processes together. Beyond it, allocations of their queries fail. The
   * default is somewhat above the limit.
   */
  readonly ceilingBytes?: number | undefined;
  /**
   * The memory share of the process that starts the kernel; if that process uses more, the kernel gets less.
   * Unbounded by default.
   */
  readonly nodeBytes?: number | undefined;
  /** The disk space that queries, and received rows, may each take; by default nine tenths of the free space. */
  readonly spillLimitBytes?: number | undefined;
  /** The number of threads for which a query is divided; 0 means one per core. */
  readonly threads: number;
  /** The cores that all queries together may use; by default those that the system gives this process. */
  readonly cores?: number | undefined;
  /** SQL that runs on every fresh instance before it is locked down, its macros first. */
  readonly bootstrap: readonly string[];
  /** Whether sessions can create relations to plan over (`defineRelation`). */
  readonly definesRelations?: boolean | undefined;
  /**
   * Locked memory for rows that sessions receive (`KernelSession.receive`), in bytes; at most half of the memory for received
   * rows. None by default.
   */
  readonly registeredBytes?: number | undefined;
  readonly log: KernelLog;
}

export interface SessionOptions {
  /** An IANA name; a name that the kernel does not know makes the first call fail. */
  readonly timeZone?: string;
  /**
   * Whether the session gets a process of its own, after other waiting sessions. For statements that may
   * crash a kernel.
   */
  readonly quarantine?: boolean;
  /**
   * The most threads that a statement of the session uses, if they are fewer than `KernelOptions.threads`; 0 sets no limit.
   * Such a session shares no tables with others.
   */
  readonly maxThreads?: number;
  /** Whether the session uses tables of other sessions of its process, as by default: see `KernelSession.processId`. */
  readonly sharesTables?: boolean;
  /**
   * Once it aborts, every call of the session is interrupted, and so is the wait for quarantine: `session` then rejects with
   * its reason.
   */
  readonly signal?: AbortSignal | undefined;
}

/** DuckDB in a supervised process. */
export class Kernel {
  readonly #supervisor: Supervisor;
  readonly #quarantine: Quarantine;
  readonly #memory: SharedMemory;
  readonly #threads: number;

  /** @internal Made by `startKernel`. */
  constructor(
    supervisor: Supervisor,
    quarantine: Quarantine,
    memory: SharedMemory,
    { threads, cores }: Pick<InstanceOptions, 'threads' | 'cores'>,
  ) {
    this.#supervisor = supervisor;
    this.#quarantine = quarantine;
    this.#memory = memory;
    this.#threads = threads === 0 ? cores : threads;
  }

  async session(options: SessionOptions = {}): Promise<KernelSession> {
    const { timeZone = null, maxThreads = 0, sharesTables = true, quarantine, signal } = options;
    const threads = maxThreads > 0 && maxThreads < this.#threads ? maxThreads : undefined;
    const place: SessionPlace = { timeZone, threads, sharesTables, signal };
    if (quarantine === true) return this.#quarantine.session(place);
    const { process, socket } = await this.#supervisor.take(threads);
    return new KernelSession(process, socket, place, () => undefined);
  }

  /** The id of the process that new sessions get (except in quarantine); undefined while there is none. */
  get processId(): string | undefined {
    return this.#supervisor.processId;
  }

  get ready(): boolean {
    return this.#supervisor.ready;
  }

  status(): KernelStatus {
    return this.#supervisor.status();
  }

  /** The number of sessions in quarantine, including those that wait for their turn. */
  get quarantined(): number {
    return this.#quarantine.sessions;
  }

  /** The limit is lower while the process that started the kernel uses more than its share. */
  async memory(): Promise<MemoryUse> {
    const use = (await (await this.#supervisor.current()).ask({ op: 'memory' })) as MemoryUse;
    return { ...use, limitBytes: this.#memory.limitBytes };
  }

  /** Ends the processes; running calls fail with KERNEL_LOST. */
  async close(): Promise<void> {
    this.#memory.close();
    await Promise.all([this.#supervisor.close(), this.#quarantine.close()]);
  }
}

/** Starts the kernel process and resolves when it is ready. */
export async function startKernel(options: KernelOptions): Promise<Kernel> {
  rmSync(options.directory, { recursive: true, force: true });
  mkdirSync(options.directory, { recursive: true, mode: 0o700 });
  const instance = instanceOptions(options);
  const spawn = (name: string, limits: MemoryLimits, events: ProcessEvents, further: SpawnOptions) =>
    new KernelProcessHandle(
      join(options.directory, name),
      { ...instance, registeredBytes: 0, ...limits, ...further },
      events,
    );
  const { registeredBytes = 0 } = options;
  const supervisor: Supervisor = new Supervisor(
    (name, events, beside) => spawn(name, memory.limits(beside), events, { registeredBytes }),
    options.log,
  );
  const memory = new SharedMemory(
    wholeMemory(options),
    options.nodeBytes ?? Number.POSITIVE_INFINITY,
    supervisor,
  );
  const quarantine = new Quarantine(
    (name, limits, events, threads = instance.threads) => spawn(name, limits, events, { threads }),
    memory,
    options.log,
  );
  const kernel = new Kernel(supervisor, quarantine, memory, instance);
  try {
    await supervisor.start();
  } catch (cause) {
    await kernel.close();
    throw TesseraError.of('NOT_READY', { reason: 'the kernel process did not start' }, { cause });
  }
  return kernel;
}

type SpawnOptions = Partial<Pick<ProcessInstance, 'threads' | 'registeredBytes'>>;

/** Memory for the program itself, and for what the kernel does not account for. */
const UNCOUNTED_BYTES = 512 << 20;

const wholeMemory = ({ ceilingBytes, memoryLimitBytes }: KernelOptions): MemoryLimits => ({
  ceilingBytes: ceilingBytes ?? memoryLimitBytes + UNCOUNTED_BYTES,
  memoryLimitBytes,
});

const instanceOptions = (
  o: KernelOptions,
): Omit<ProcessInstance, keyof MemoryLimits | 'registeredBytes'> => ({
  readableDirectories: o.readableDirectories,
  threads: o.threads,
  cores: o.cores ?? availableParallelism(),
  spillLimitBytes: o.spillLimitBytes,
  bootstrap: o.bootstrap,
  definesRelations: o.definesRelations ?? false,
});
