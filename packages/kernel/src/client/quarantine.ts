import type { KernelLog } from '../kernel-log.ts';
import type { KernelProcessHandle, ProcessEvents } from './kernel-process-handle.ts';
import { KernelSession } from './kernel-session.ts';
import type { SpawnKernel } from './supervisor.ts';

/** How long the process stays after its last session. */
const IDLE_MS = 10_000;

/** A kernel process of its own, started on demand, that serves one session at a time. */
export class Quarantine implements ProcessEvents {
  readonly #spawn: SpawnKernel;
  readonly #log: KernelLog;
  #process: KernelProcessHandle | undefined;
  #turn: Promise<void> = Promise.resolve();
  #waiting = 0;
  #idle: NodeJS.Timeout | undefined;
  #count = 0;

  constructor(spawn: SpawnKernel, log: KernelLog) {
    this.#spawn = spawn;
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

  onExit(process: KernelProcessHandle, how: string): void {
    this.#log.info({ pid: process.pid, how }, 'The quarantine kernel process ended');
    if (this.#process === process) this.#process = undefined;
  }

  async close(): Promise<void> {
    clearTimeout(this.#idle);
    const process = this.#process;
    process?.kill();
    await process?.exited;
  }

  #start(): KernelProcessHandle {
    this.#process = this.#spawn(`quarantine-${this.#count++}`, this);
    this.#log.info({ pid: this.#process.pid }, 'A quarantine kernel process was started');
    return this.#process;
  }
}
