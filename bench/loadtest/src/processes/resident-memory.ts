import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';

const SAMPLE_INTERVAL_MS = 50;
const BYTES_PER_KIB = 1024;

/** Watches the total resident memory of a process and its children. */
export class MemoryWatch {
  #peakBytes = 0;
  readonly #pid: number;
  readonly #stop = new AbortController();
  readonly #loop: Promise<void>;

  constructor(pid: number) {
    this.#pid = pid;
    this.#loop = this.#sample();
  }

  /** The largest total since construction or the last `restart`. */
  get peakBytes(): number {
    return this.#peakBytes;
  }

  restart(): void {
    this.#peakBytes = residentBytes(this.#pid);
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#loop;
  }

  async #sample(): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      this.#peakBytes = Math.max(this.#peakBytes, residentBytes(this.#pid));
      await pause(SAMPLE_INTERVAL_MS, undefined, { signal }).catch(() => {});
    }
  }
}

/** The resident memory of a process and its children in bytes; shared memory segments count once. */
function residentBytes(pid: number): number {
  const each = [pid, ...children(pid)].map((one) => readProc(`${one}/status`));
  const shared = each.map((status) => kib(status, 'RssShmem'));
  const own = each.reduce((sum, status, n) => sum + kib(status, 'VmRSS') - shared[n]!, 0);
  return (own + Math.max(...shared)) * BYTES_PER_KIB;
}

const children = (pid: number): number[] =>
  readProc(`${pid}/task/${pid}/children`)
    .split(' ')
    .filter((word) => word !== '')
    .map(Number);

const kib = (status: string, field: string): number =>
  Number(new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(status)?.[1] ?? 0);

/** A process may end between being listed and being read. */
function readProc(path: string): string {
  try {
    return readFileSync(`/proc/${path}`, 'utf8');
  } catch {
    return '';
  }
}
