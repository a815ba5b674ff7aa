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

/**
 * The resident memory of a process and its children in bytes. Shared memory and mapped files count once: the processes have
 * the same ones, the program and the kernel's library above all.
 */
function residentBytes(pid: number): number {
  const each = [pid, ...children(pid)].map((one) => readProc(`${one}/status`));
  const all = (field: string) => each.map((status) => kib(status, field));
  const own = all('RssAnon').reduce((sum, one) => sum + one, 0);
  return (own + Math.max(...all('RssShmem')) + Math.max(...all('RssFile'))) * BYTES_PER_KIB;
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
