import type { TesseraError } from '@tessera/common';
import { outOfMemory } from '../errors/kernel-error.ts';
import type { KernelLog } from '../kernel-log.ts';
import { processMemory } from '../own-memory.ts';
import type { KernelProcessHandle, ProcessEvents } from './kernel-process-handle.ts';
import { KernelSession } from './kernel-session.ts';
import type { SpawnKernel } from './supervisor.ts';

/** How long the process stays after its last session. */
const IDLE_MS = 10_000;
const WATCH_MS = 50;
/** How programs and libraries tell that they end for want of memory. */
const OUT_OF_MEMORY = /bad_alloc|out of memory|allocation failed|failed to allocate|cannot allocate/i;

/** A kernel process of its own, started on demand, that serves one session at a time. */
export class Quarantine implements ProcessEvents {
  readonly #spawn: SpawnKernel;
  readonly #memoryLeft: () => number;
  readonly #log: KernelLog;
  #watch: NodeJS.Timeout | undefined;
  #overLimit = false;
  #process: KernelProcessHandle | undefined;
  #turn: Promise<void> = Promise.resolve();
  #waiting = 0;
  #idle: NodeJS.Timeout | undefined;
  #count = 0;

  /** `memoryLeft`: of the memory that the process shares with the one that serves, the bytes it may have now. */
  constructor(spawn: SpawnKernel, memoryLeft: () => number, log: KernelLog) {
    this.#spawn = spawn;
    this.#memoryLeft = memoryLeft;
    this.#log = log;
  }

  /** Sessions that have it or wait for it. */
  get sessions(): number {
    return this.#waiting;
  }

  async session(timeZone: string | null): Promise<KernelSession> {
    const before = this.#turn;
    let done = () => {};
    this.#turn = new Promise((resolve) => {
      done = resolve;
    });
    this.#waiting++;
    const release = () => {
      this.#waiting--;
      if (this.#waiting === 0) this.#idle = setTimeout(() => this.#process?.retire(), IDLE_MS).unref();
      done();
    };
    await before;
    clearTimeout(this.#idle);
    try {
      const process = this.#process ?? this.#start();
      await process.ready();
      return new KernelSession(process, await process.take(), timeZone, release);
    } catch (error) {
      release();
      throw error;
    }
  }

  onFatal(process: KernelProcessHandle): void {
    if (this.#process === process) this.#process = undefined;
    process.retire();
  }

  /** Here a query runs alone: a process that the memory did not suffice for ended by it. */
  reasonOfEnd(how: string): TesseraError | undefined {
    return this.#overLimit || OUT_OF_MEMORY.test(how)
      ? outOfMemory('the kernel process that ran it alone ran out of memory')
      : undefined;
  }

  onExit(process: KernelProcessHandle, how: string): void {
    this.#log.info({ pid: process.pid, how }, 'The quarantine kernel process ended');
    if (this.#process !== process) return;
    clearInterval(this.#watch);
    this.#process = undefined;
  }

  async close(): Promise<void> {
    clearTimeout(this.#idle);
    clearInterval(this.#watch);
    const process = this.#process;
    process?.kill();
    await process?.exited;
  }

  #start(): KernelProcessHandle {
    const process = this.#spawn(`quarantine-${this.#count++}`, this);
    this.#process = process;
    this.#overLimit = false;
    clearInterval(this.#watch);
    this.#watch = setInterval(() => this.#endOverLimit(process), WATCH_MS).unref();
    this.#log.info({ pid: this.#process.pid }, 'A quarantine kernel process was started');
    return process;
  }

  /** Both kernels share one kernel's memory; what is left changes with what the other takes. */
  #endOverLimit(process: KernelProcessHandle): void {
    if (process !== this.#process || (processMemory(process.pid)?.ownBytes ?? 0) <= this.#memoryLeft())
      return;
    this.#log.warn(
      { pid: process.pid },
      'The kernel processes together need too much memory; the quarantine process is ended',
    );
    this.#overLimit = true;
    process.kill();
  }
}
