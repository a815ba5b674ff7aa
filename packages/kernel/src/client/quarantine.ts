import type { TesseraError } from '@tessera/common';
import { markedAsNotStarted } from '../errors/failed-value.ts';
import { outOfMemory } from '../errors/kernel-error.ts';
import type { KernelLog } from '../kernel-log.ts';
import type { MemoryLimits } from '../protocol/messages.ts';
import type { KernelProcessHandle, ProcessEvents } from './kernel-process-handle.ts';
import { KernelSession, type SessionPlace } from './kernel-session.ts';
import type { SharedMemory } from './shared-memory.ts';

/**
 * How long the process stays after its last session, for queries that are tried again one after another. Until then the
 * serving process has less memory.
 */
const IDLE_MS = 100;
/**
 * How long the process takes sessions after the first one. Queries that wait for it longer have probably failed because the
 * serving process has less memory meanwhile, and run there again once it has all of it. Otherwise the queries that fail
 * for that reason could keep the process, and the memory that it has, for ever.
 */
const MAX_SERVICE_MS = 2_000;
/**
 * How long a query waits for its turn. The query before it may run for minutes. It is probably the one that took the memory of the
 * other, which then finds enough where it ran.
 */
const MAX_WAIT_MS = 2_000;
/** The messages with which programs and libraries end for lack of memory. */
const OUT_OF_MEMORY = /bad_alloc|out of memory|allocation failed|failed to allocate|cannot allocate/i;

const WAITED_TOO_LONG = 'other queries had the memory that a second attempt needs for too long';

type SpawnLimited = (
  name: string,
  limits: MemoryLimits,
  events: ProcessEvents,
  threads: number | undefined,
) => KernelProcessHandle;

/** A separate kernel process, started on demand, that serves one session at a time. */
export class Quarantine implements ProcessEvents {
  readonly #spawn: SpawnLimited;
  readonly #memory: SharedMemory;
  readonly #log: KernelLog;
  #process: KernelProcessHandle | undefined;
  /** The number of threads with which the process was started; undefined for that of all kernel processes. */
  #threads: number | undefined;
  /** When the process took its first session; starting may take long on a busy machine. */
  #servesSince: number | undefined;
  /** The number of processes that ended because they had served for `MAX_SERVICE_MS`. */
  #outdated = 0;
  #turn: Promise<void> = Promise.resolve();
  #waiting = 0;
  #idle: NodeJS.Timeout | undefined;
  #count = 0;
  #lastExit: Promise<void> = Promise.resolve();

  constructor(spawn: SpawnLimited, memory: SharedMemory, log: KernelLog) {
    this.#spawn = spawn;
    this.#memory = memory;
    this.#log = log;
  }

  /** The number of sessions that use it or wait for it. */
  get sessions(): number {
    return this.#waiting;
  }

  /**
   * @throws OUT_OF_MEMORY, which `hasNotStarted` recognises, if other queries hold the memory for the process, if queries
   * before this one have had it for `MAX_SERVICE_MS`, where the serving process then has its memory again, or if its turn does
   * not come within `MAX_WAIT_MS`
   * @throws the signal's reason, if it aborts before the session's turn
   */
  async session(place: SessionPlace): Promise<KernelSession> {
    const { signal } = place;
    const before = this.#turn;
    let done = () => {};
    this.#turn = new Promise((resolve) => {
      done = resolve;
    });
    this.#waiting++;
    const outdated = this.#outdated;
    const release = () => {
      this.#waiting--;
      if (this.#waiting === 0) this.#idle = setTimeout(() => this.#retire(), IDLE_MS).unref();
      done();
    };
    try {
      await withinTime(orAborted(before, signal));
    } catch (reason) {
      // The next session must still wait for the one before.
      void before.then(release);
      throw reason;
    }
    clearTimeout(this.#idle);
    try {
      await this.#endIfOutdated();
      if (outdated !== this.#outdated) throw markedAsNotStarted(outOfMemory(WAITED_TOO_LONG));
      if (this.#threads !== place.threads) this.#retire();
      const process = this.#process ?? (await this.#start(place.threads, signal));
      await process.ready();
      this.#servesSince ??= performance.now();
      return new KernelSession(process, await process.take(), place, (isBusy) => {
        // Nobody else has a session there, and the next one would have to share the memory and the processor with the call.
        if (isBusy && this.#process === process) this.#retire();
        release();
      });
    } catch (error) {
      release();
      throw error;
    }
  }

  async #endIfOutdated(): Promise<void> {
    if (this.#process === undefined || this.#servesSince === undefined) return;
    if (performance.now() - this.#servesSince < MAX_SERVICE_MS) return;
    this.#outdated++;
    this.#retire();
    await this.#lastExit;
  }

  onUnfit(process: KernelProcessHandle): void {
    if (this.#process === process) this.#retire();
    else process.retire();
  }

  /** From now on the process gets no session. It may take a while to end, and a session on it would end with it. */
  #retire(): void {
    const process = this.#process;
    this.#process = undefined;
    process?.retire();
  }

  /** A query runs alone here, so a process that ended for lack of memory ended because of that query. */
  reasonOfEnd(how: string): TesseraError | undefined {
    return OUT_OF_MEMORY.test(how)
      ? outOfMemory('the kernel process that ran it alone ran out of memory')
      : undefined;
  }

  onExit(process: KernelProcessHandle, how: string): void {
    this.#log.info({ pid: process.pid, how }, 'the quarantine kernel process exited');
    this.#memory.release();
    if (this.#process === process) this.#process = undefined;
  }

  async close(): Promise<void> {
    clearTimeout(this.#idle);
    this.#process?.kill();
    await this.#lastExit;
  }

  async #start(threads: number | undefined, signal?: AbortSignal): Promise<KernelProcessHandle> {
    // The memory of the previous process is given to the next one.
    await this.#lastExit;
    const limits = await this.#memory.takeForQuarantine(signal);
    const process = this.#spawn(`quarantine-${this.#count++}`, limits, this, threads);
    this.#process = process;
    this.#threads = threads;
    this.#servesSince = undefined;
    this.#lastExit = process.exited;
    this.#log.info({ pid: process.pid }, 'a quarantine kernel process was started');
    return process;
  }
}

/** @throws OUT_OF_MEMORY, which `hasNotStarted` recognises, after `MAX_WAIT_MS` */
async function withinTime(turn: Promise<void>): Promise<void> {
  const { promise: late, reject } = Promise.withResolvers<void>();
  const timer = setTimeout(() => reject(markedAsNotStarted(outOfMemory(WAITED_TOO_LONG))), MAX_WAIT_MS);
  try {
    await Promise.race([turn, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** @throws the signal's reason, if it aborts first */
async function orAborted(promise: Promise<void>, signal: AbortSignal | undefined): Promise<void> {
  if (signal === undefined) return promise;
  signal.throwIfAborted();
  const { promise: aborted, reject } = Promise.withResolvers<void>();
  const onAbort = () => reject(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
