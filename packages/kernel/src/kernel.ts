import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { TesseraError } from '@tessera/common';
import { KernelProcessHandle, type ProcessInstance } from './client/kernel-process-handle.ts';
import { KernelSession } from './client/kernel-session.ts';
import { Quarantine } from './client/quarantine.ts';
import { type KernelStatus, type SpawnKernel, Supervisor } from './client/supervisor.ts';
import type { KernelLog } from './kernel-log.ts';
import { processMemory } from './own-memory.ts';
import type { MemoryUse } from './protocol/messages.ts';

export interface KernelOptions {
  /** Owned by the kernel (sockets, spill files) and wiped at start. */
  readonly directory: string;
  /** What SQL may read. */
  readonly readableDirectories: readonly string[];
  /** What queries may take of what the kernel counts: tables, sorts, joins, groups. The rest of it goes to disk. */
  readonly memoryLimitBytes: number;
  /** What a kernel process may take in all: beyond it allocations of its queries fail. By default somewhat more. */
  readonly ceilingBytes?: number | undefined;
  /** 0 = one per core. */
  readonly threads: number;
  /** SQL run on every fresh instance before it is locked down. */
  readonly bootstrap: readonly string[];
  /** Whether sessions can make relations to plan over (`defineRelation`). */
  readonly definesRelations?: boolean | undefined;
  readonly log: KernelLog;
}

export interface SessionOptions {
  /** An IANA name; one that the kernel does not know fails the first call. */
  readonly timeZone?: string;
  /** On a process of its own, after the sessions that wait for the same: for what may kill kernels. */
  readonly quarantine?: boolean;
}

/** DuckDB in a supervised process. */
export class Kernel {
  readonly #supervisor: Supervisor;
  readonly #quarantine: Quarantine;
  readonly #memoryLimitBytes: number;

  /** @internal Made by `startKernel`. */
  constructor(supervisor: Supervisor, quarantine: Quarantine, memoryLimitBytes: number) {
    this.#supervisor = supervisor;
    this.#quarantine = quarantine;
    this.#memoryLimitBytes = memoryLimitBytes;
  }

  async session(options: SessionOptions = {}): Promise<KernelSession> {
    const timeZone = options.timeZone ?? null;
    if (options.quarantine === true) return this.#quarantine.session(timeZone);
    const { process, socket } = await this.#supervisor.take();
    return new KernelSession(process, socket, timeZone, () => undefined);
  }

  /** Of the process that new sessions are given, `quarantine` aside; undefined while there is none. */
  get processId(): string | undefined {
    return this.#supervisor.processId;
  }

  get ready(): boolean {
    return this.#supervisor.ready;
  }

  status(): KernelStatus {
    return this.#supervisor.status();
  }

  /** Sessions in quarantine, and those that wait for their turn there. */
  get quarantined(): number {
    return this.#quarantine.sessions;
  }

  async memory(): Promise<MemoryUse> {
    const use = (await (await this.#supervisor.current()).ask({ op: 'memory' })) as MemoryUse;
    return { ...use, limitBytes: this.#memoryLimitBytes };
  }

  /** Ends the processes; whatever still runs fails with KERNEL_LOST. */
  async close(): Promise<void> {
    await Promise.all([this.#supervisor.close(), this.#quarantine.close()]);
  }
}

/** Starts the kernel process and resolves when it serves. */
export async function startKernel(options: KernelOptions): Promise<Kernel> {
  rmSync(options.directory, { recursive: true, force: true });
  mkdirSync(options.directory, { recursive: true, mode: 0o700 });
  const spawn =
    (instance: () => ProcessInstance): SpawnKernel =>
    (name, events) =>
      new KernelProcessHandle(join(options.directory, name), instance(), events);
  const whole = instanceOptions(options);
  const supervisor = new Supervisor(
    spawn(() => whole),
    options.log,
  );
  const memoryLeft = () =>
    Math.max(
      whole.ceilingBytes * LEAST_QUARANTINE_SHARE,
      whole.ceilingBytes - (processMemory(supervisor.status().pid)?.ownBytes ?? 0),
    );
  const quarantine = new Quarantine(
    spawn(() => withCeiling(whole, memoryLeft())),
    memoryLeft,
    options.log,
  );
  const kernel = new Kernel(supervisor, quarantine, options.memoryLimitBytes);
  try {
    await supervisor.start();
  } catch (cause) {
    await kernel.close();
    throw TesseraError.of('NOT_READY', { reason: 'the kernel process did not start' }, { cause });
  }
  return kernel;
}

/** For the program, and for what the kernel does not count. */
const UNCOUNTED_BYTES = 512 << 20;

/** Of the memory of a kernel process, what one in quarantine has at least beside it. */
const LEAST_QUARANTINE_SHARE = 1 / 4;

const instanceOptions = (o: KernelOptions): ProcessInstance => ({
  ceilingBytes: o.ceilingBytes ?? o.memoryLimitBytes + UNCOUNTED_BYTES,
  readableDirectories: o.readableDirectories,
  memoryLimitBytes: o.memoryLimitBytes,
  threads: o.threads,
  bootstrap: o.bootstrap,
  definesRelations: o.definesRelations ?? false,
});

const withCeiling = (instance: ProcessInstance, ceilingBytes: number): ProcessInstance => ({
  ...instance,
  ceilingBytes,
  memoryLimitBytes: Math.floor((instance.memoryLimitBytes * ceilingBytes) / instance.ceilingBytes),
});
