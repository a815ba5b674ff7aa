import { startTimer, TesseraError, type Timer } from '@tessera/common';
import type { KernelLog } from '../kernel-log.ts';
import type { KernelProcessHandle, ProcessEvents, Unfit } from './kernel-process-handle.ts';
import type { SessionSocket } from './session-socket.ts';

export interface KernelStatus {
  readonly ready: boolean;
  readonly restarts: number;
  readonly sessions: number;
  readonly pid: number | undefined;
}

/** @param beside a process that serves until the new one is ready, and has its memory until then */
export type SpawnKernel = (
  name: string,
  events: ProcessEvents,
  beside?: KernelProcessHandle,
) => KernelProcessHandle;

const UNFIT: Readonly<Record<Unfit, string>> = {
  'internal error': 'The kernel raised an internal error',
  'stuck call': 'A cancelled statement does not end',
};

/** A process that ends sooner than this after its start counts as one that failed to start. */
const STABLE_AFTER_MS = 5_000;
/** How long other sessions may stay in a process in which a call is stuck, after another process has taken over. */
const MAX_BESIDE_STUCK_MS = 60_000;
const MAX_RESTART_DELAY_MS = 5_000;
const FIRST_RESTART_DELAY_MS = 50;
/** How often a session is retried on the next process if its process dies. */
const SESSION_ATTEMPTS = 5;

/** Keeps one kernel process running; it is replaced when it dies or becomes unfit. */
export class Supervisor implements ProcessEvents {
  readonly #spawn: SpawnKernel;
  readonly #log: KernelLog;
  readonly #alive = new Set<KernelProcessHandle>();
  #current: KernelProcessHandle | undefined;
  /** The serving process while another one starts that will take over. */
  #succeeded: KernelProcessHandle | undefined;
  #serving: Promise<KernelProcessHandle>;
  #ready = false;
  #restarts = -1;
  #failures = 0;
  #startedAt = 0;
  #timer: Timer | undefined;
  #closed = false;

  constructor(spawn: SpawnKernel, log: KernelLog) {
    this.#spawn = spawn;
    this.#log = log;
    this.#serving = Promise.reject(notReady('the kernel has not been started'));
    this.#serving.catch(() => undefined);
  }

  async start(): Promise<void> {
    await this.#launch();
  }

  get ready(): boolean {
    return this.#ready;
  }

  get processId(): string | undefined {
    return this.#current?.id;
  }

  status(): KernelStatus {
    let sessions = 0;
    for (const process of this.#alive) sessions += process.sessions;
    return { ready: this.#ready, restarts: Math.max(0, this.#restarts), sessions, pid: this.#current?.pid };
  }

  /** The process that serves sessions or is about to. */
  get serving(): KernelProcessHandle | undefined {
    return this.#current;
  }

  get retired(): readonly KernelProcessHandle[] {
    return [...this.#alive].filter((process) => process !== this.#current);
  }

  /** The serving process; waits for one that is starting. */
  current(): Promise<KernelProcessHandle> {
    return this.#serving;
  }

  /** See `KernelProcessHandle.take`. */
  async take(threads?: number): Promise<{ process: KernelProcessHandle; socket: SessionSocket }> {
    for (let attempt = 1; ; attempt++) {
      const process = await this.#serving;
      try {
        return { process, socket: await process.take(threads) };
      } catch (error) {
        if (attempt === SESSION_ATTEMPTS || this.#closed) throw error;
        // The socket may refuse connections before the end of the process is known.
        await process.exited;
      }
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#ready = false;
    this.#timer?.clear();
    this.#serve(Promise.reject(notReady('the kernel is closed')));
    const alive = [...this.#alive];
    for (const process of alive) process.kill();
    await Promise.all(alive.map((process) => process.exited));
  }

  onUnfit(process: KernelProcessHandle, what: Unfit): void {
    if (what === 'stuck call') setTimeout(() => process.kill(), MAX_BESIDE_STUCK_MS).unref();
    if (process.retired || process === this.#succeeded) return;
    this.#log.error({ pid: process.pid }, `${UNFIT[what]}; a new process takes over`);
    if (what === 'stuck call' && process === this.#current) void this.#succeed(process);
    else this.#leave(process);
  }

  #leave(process: KernelProcessHandle): void {
    if (process === this.#current) this.#replace(0);
    process.retire();
  }

  /** Starts a process while the present one, in which other calls work, goes on serving. */
  async #succeed(process: KernelProcessHandle): Promise<void> {
    this.#succeeded = process;
    const next = this.#spawnNext(process);
    const isReady = await next.ready().then(
      () => true,
      () => false,
    );
    this.#succeeded = undefined;
    if (process !== this.#current || this.#closed) return next.kill();
    if (!isReady) return this.#leave(process);
    this.#current = next;
    this.#serve(Promise.resolve(next));
    process.retire();
  }

  onExit(process: KernelProcessHandle, how: string): void {
    this.#alive.delete(process);
    if (this.#closed || process !== this.#current) return;
    this.#log.error({ pid: process.pid, how }, 'the kernel process exited; a new one is being started');
    this.#failures = Date.now() - this.#startedAt < STABLE_AFTER_MS ? this.#failures + 1 : 0;
    this.#replace(
      this.#failures <= 1
        ? 0
        : Math.min(MAX_RESTART_DELAY_MS, FIRST_RESTART_DELAY_MS * 2 ** (this.#failures - 2)),
    );
  }

  #replace(delayMs: number): void {
    this.#ready = false;
    this.#current = undefined;
    this.#serve(
      new Promise((resolve, reject) => {
        this.#timer = startTimer(() => this.#launch().then(resolve, reject), delayMs);
      }),
    );
  }

  #spawnNext(beside?: KernelProcessHandle): KernelProcessHandle {
    this.#restarts++;
    this.#startedAt = Date.now();
    const process = this.#spawn(`process-${this.#restarts}`, this, beside);
    this.#alive.add(process);
    return process;
  }

  #launch(): Promise<KernelProcessHandle> {
    const process = this.#spawnNext();
    this.#current = process;
    const serving = process.ready().then(() => {
      if (process === this.#current) this.#ready = true;
      return process;
    });
    this.#serve(serving);
    return serving;
  }

  #serve(serving: Promise<KernelProcessHandle>): void {
    this.#serving = serving;
    serving.catch(() => undefined);
  }
}

const notReady = (reason: string) => TesseraError.of('NOT_READY', { reason });
