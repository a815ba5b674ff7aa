import { type ChildProcess, fork } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { HEAP_INCLUDES_BUFFERS, TesseraError } from '@tessera/common';
import type { InstanceOptions } from '../instance/instance.ts';
import type { KernelProcessOptions } from '../process/kernel-process.ts';
import type { ControlAnswer, ControlMessage, ControlRequest, MemoryLimits } from '../protocol/messages.ts';
import { SessionSocket } from './session-socket.ts';

const PROGRAM = fileURLToPath(new URL('../process/kernel-process.ts', import.meta.url));
/**
 * Every session uses up to two threads of the pool: for its running call, and for a result that is being
 * discarded.
 */
const THREAD_POOL_SIZE = 128;
/**
 * The kernel's memory blocks have 256 KiB. glibc would soon treat them as small and keep freed ones in as
 * many heaps as there are threads; a kernel that spills then held up to twice its limit. Blocks that are
 * mapped one by one are returned at once.
 *
 * `MALLOC_TOP_PAD_`: an allocation of some bytes that fails in V8 or in a thread of the kernel ends the process. So
 * glibc takes 16 MiB in advance, and small allocations succeed while queries hold all memory up to the ceiling.
 */
export const ALLOCATOR = {
  MALLOC_MMAP_THRESHOLD_: '200000',
  MALLOC_ARENA_MAX: '4',
  MALLOC_TOP_PAD_: '16777216',
};
/**
 * V8 ends the process if it gets no memory for its heap, and queries may hold all memory up to the ceiling at that
 * moment. So the heap has its memory from the start: the young generation keeps one size (in megabytes), its pages are
 * not handed over to the old generation, and the old generation keeps the pages that `reserveHeap` gives it. It is
 * collected before it has grown by more than that.
 */
export const V8_FLAGS = [
  '--min-semi-space-size=4',
  '--max-semi-space-size=4',
  '--no-page-promotion',
  '--no-compact',
  '--no-memory-reducer',
  '--no-flush-bytecode',
  '--predictable',
  '--heap-growing-percent=50',
  '--expose-gc',
];
/** In a process with a lower ceiling, buffers that await a later collection would take memory that queries need. */
const MIN_CEILING_OF_HEAP_WITH_BUFFERS = 1 << 30;
/** `sun_path` holds 108 bytes including its terminator, and numbers of threads are appended to the path. */
const MAX_SOCKET_PATH_BYTES = 102;
const MAX_IDLE_SESSIONS = 32;
/** A process whose sockets are closed has ended; its exit status is known within this time. */
const MAX_END_MS = 2_000;

/** Why a process is not fit to serve sessions: an internal error of the kernel, or a call that no interrupt ends. */
export type Unfit = 'internal error' | 'stuck call';

export interface ProcessEvents {
  /** Called when the process must not serve new sessions; `what` happened in it. */
  onUnfit(process: KernelProcessHandle, what: Unfit): void;
  onExit(process: KernelProcessHandle, how: string): void;
  /**
   * A specific error for the calls that ran in the process when it ended, if there is a better one than that
   * it ended.
   */
  reasonOfEnd?(how: string): TesseraError | undefined;
}

/** The options of the instance, and the memory that the process may use. */
export type ProcessInstance = Omit<InstanceOptions, 'spillDirectory'> &
  Pick<KernelProcessOptions, 'ceilingBytes' | 'registeredBytes'>;

/** One kernel process, from start to end, with the sockets of its sessions. */
export class KernelProcessHandle {
  readonly #child: ChildProcess;
  readonly #directory: string;
  readonly #socketDirectory: string;
  readonly #events: ProcessEvents;
  readonly #idle: SessionSocket[] = [];
  readonly #answers = new Map<number, { resolve(v: ControlAnswer): void; reject(e: Error): void }>();
  readonly exited: Promise<void>;
  /** Resolves when the process has ended, with the error for its calls. */
  readonly #lost: Promise<TesseraError>;
  readonly #ready: Promise<void>;
  #nextId = 1;
  #open = 0;
  /** The session that was last open without any other, and with all memory that the process may have. */
  #alone: SessionSocket | undefined;
  #retired = false;
  #ceilingBytes: number;
  /** The highest ceiling that it has had. */
  #mostBytes: number;

  /**
   * @param directory belongs to this process alone: for its spill files and, if the path is short enough, its
   * socket
   */
  constructor(directory: string, { bootstrap, ...instance }: ProcessInstance, events: ProcessEvents) {
    this.#directory = directory;
    this.#events = events;
    this.#ceilingBytes = instance.ceilingBytes;
    this.#mostBytes = instance.ceilingBytes;
    mkdirSync(join(directory, 'spill'), { recursive: true, mode: 0o700 });
    const fits = Buffer.byteLength(join(directory, 'socket')) <= MAX_SOCKET_PATH_BYTES;
    this.#socketDirectory = fits ? directory : mkdtempSync(join(tmpdir(), 'tessera-kernel-'));
    const options: KernelProcessOptions = {
      ...instance,
      spillDirectory: join(directory, 'spill'),
      socketPath: this.#socketPath,
    };
    this.#child = fork(PROGRAM, [JSON.stringify(options)], {
      serialization: 'advanced',
      execArgv: [
        ...V8_FLAGS,
        ...(instance.ceilingBytes < MIN_CEILING_OF_HEAP_WITH_BUFFERS ? [] : [HEAP_INCLUDES_BUFFERS]),
      ],
      env: { ...process.env, ...ALLOCATOR, UV_THREADPOOL_SIZE: String(THREAD_POOL_SIZE) },
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    });
    this.#child.send(bootstrap, () => undefined);
    const stderr = head(this.#child);
    let ended = (_reason: TesseraError) => {};
    this.#lost = new Promise((resolve) => {
      ended = resolve;
    });
    this.exited = new Promise((resolve) => {
      this.#child.once('exit', (code, signal) => {
        const how = `${signal ?? `code ${code}`}${stderr() === '' ? '' : `: ${stderr()}`}`;
        this.#cleanUp();
        ended(this.#events.reasonOfEnd?.(how) ?? lost());
        resolve();
        this.#events.onExit(this, how);
      });
    });
    this.#ready = new Promise((resolve, reject) => {
      this.#child.on('message', (message: ControlMessage) => {
        if (message.kind === 'ready') resolve();
        else this.#receive(message);
      });
      this.#child.once('error', reject);
      this.#child.once('exit', () => reject(new Error(`The kernel process did not start: ${stderr()}`)));
    });
    this.#ready.catch(() => undefined);
  }

  get #socketPath(): string {
    return join(this.#socketDirectory, 'socket');
  }

  /** A unique id that no other process of this kernel has or had. */
  get id(): string {
    return basename(this.#directory);
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** The memory ceiling that was last sent to the process. */
  get ceilingBytes(): number {
    return this.#ceilingBytes;
  }

  /** Sets the limits of the process. It keeps memory beyond the ceiling until its queries end. */
  async setLimits(limits: MemoryLimits): Promise<void> {
    this.#noteCeiling(limits.ceilingBytes);
    await this.#ready;
    await this.ask({ op: 'limits', limits, ifItFits: false });
  }

  /**
   * Sets limits if the process holds no more than the ceiling or can spill the rest. Otherwise returns false
   * and changes nothing.
   */
  async comeDownTo(limits: MemoryLimits): Promise<boolean> {
    await this.#ready;
    const holds = (await this.ask({ op: 'limits', limits, ifItFits: true })) as boolean;
    if (holds) this.#noteCeiling(limits.ceilingBytes);
    return holds;
  }

  /** A session that had less than all memory for a while did not have the process for itself. */
  #noteCeiling(bytes: number): void {
    if (bytes < this.#mostBytes) this.#alone = undefined;
    this.#ceilingBytes = bytes;
    this.#mostBytes = Math.max(this.#mostBytes, bytes);
  }

  /** The number of sessions in use. */
  get sessions(): number {
    return this.#open;
  }

  get retired(): boolean {
    return this.#retired;
  }

  ready(): Promise<void> {
    return this.#ready;
  }

  /**
   * Takes a session socket: a clean one that was used before, or a new one.
   * @param threads less than the number of threads of the process; undefined for all of them
   */
  async take(threads?: number): Promise<SessionSocket> {
    this.#open++;
    this.#alone = undefined;
    try {
      if (threads !== undefined)
        return await this.#connect((await this.ask({ op: 'limitThreads', threads })) as string);
      const socket = this.#takeIdle() ?? (await this.#connect(this.#socketPath));
      if (this.#open === 1 && this.#ceilingBytes === this.#mostBytes) this.#alone = socket;
      return socket;
    } catch (error) {
      this.#released();
      throw error;
    }
  }

  #takeIdle(): SessionSocket | undefined {
    for (let idle = this.#idle.pop(); idle !== undefined; idle = this.#idle.pop()) {
      if (idle.reusable) return idle;
    }
    return undefined;
  }

  #connect(path: string): Promise<SessionSocket> {
    return SessionSocket.open(path, this.#nextId++, {
      onFatal: () => this.#events.onUnfit(this, 'internal error'),
      onStuck: () => this.#events.onUnfit(this, 'stuck call'),
      lost: () => Promise.race([this.#lost, delay(MAX_END_MS, undefined, { ref: false }).then(lost)]),
      isAlone: (socket) => socket === this.#alone,
    });
  }

  /** @param keeps whether another session may use the socket */
  give(socket: SessionSocket, keeps: boolean): void {
    // A new socket costs more than dropping the tables of this one.
    if (!keeps) socket.close();
    else if (socket.reusableOnceEmptied && this.#keepsAnother) {
      socket.dropAppended().then(
        () => this.#keepOrClose(socket),
        () => socket.close(),
      );
    } else this.#keepOrClose(socket);
    this.#released();
  }

  get #keepsAnother(): boolean {
    return !this.#retired && this.#idle.length < MAX_IDLE_SESSIONS;
  }

  #keepOrClose(socket: SessionSocket): void {
    if (socket.reusable && this.#keepsAnother) this.#idle.push(socket);
    else socket.close();
  }

  /** Accepts no new sessions; the process ends after its last one. */
  retire(): void {
    if (this.#retired) return;
    this.#retired = true;
    for (const socket of this.#idle.splice(0)) socket.close();
    if (this.#open === 0) this.kill();
  }

  #released(): void {
    this.#open--;
    if (this.#retired && this.#open === 0) this.kill();
  }

  kill(): void {
    this.#child.kill('SIGKILL');
  }

  ask(
    request:
      | { op: 'progress'; session: number; planned: boolean }
      | { op: 'memory' }
      | { op: 'limits'; limits: MemoryLimits; ifItFits: boolean }
      | { op: 'limitThreads'; threads: number },
  ): Promise<ControlAnswer> {
    return new Promise((resolve, reject) => {
      if (!this.#child.connected) return reject(lost());
      const id = this.#nextId++;
      this.#answers.set(id, { resolve, reject });
      this.#child.send({ ...request, id } satisfies ControlRequest, (error) => error && reject(lost()));
    });
  }

  #receive(message: Extract<ControlMessage, { kind: 'answer' }>): void {
    const waiting = this.#answers.get(message.id);
    this.#answers.delete(message.id);
    if (message.value !== undefined) waiting?.resolve(message.value);
    else waiting?.reject(new Error(message.error));
  }

  #cleanUp(): void {
    for (const waiting of this.#answers.values()) waiting.reject(lost());
    this.#answers.clear();
    this.#idle.length = 0;
    rmSync(this.#directory, { recursive: true, force: true });
    rmSync(this.#socketDirectory, { recursive: true, force: true });
  }
}

const lost = () => TesseraError.of('KERNEL_LOST', { message: 'The kernel process that ran the query ended' });

/**
 * Keeps the first part of the process's stderr, for the log entry of its end. The reason comes first, and a trace of
 * the stack after it.
 */
function head(child: ChildProcess): () => string {
  const KEEP = 2000;
  let text = '';
  child.stderr?.setEncoding('utf8').on('data', (more: string) => {
    text = (text + more).slice(0, KEEP);
  });
  return () => text.trim();
}
