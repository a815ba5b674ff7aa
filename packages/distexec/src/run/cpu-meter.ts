import { readFileSync } from 'node:fs';

/** Of `/proc/<pid>/stat`: the kernel of the operating system counts in hundredths of a second, whatever its tick. */
const MS_PER_TICK = 10;
const UTIME_FIELD = 13;
const STIME_FIELD = 14;

interface Share {
  cpuMs: number;
}

/**
 * CPU time of the kernel's process, told apart by task: what passes while several run is divided evenly among them.
 * Statements outside of tasks count as well; the resolution is 10 ms; 0 where the system does not tell.
 */
export class CpuMeter {
  readonly #pid: () => number | undefined;
  readonly #shares = new Set<Share>();
  #lastPid: number | undefined;
  #lastMs = 0;

  constructor(pid: () => number | undefined) {
    this.#pid = pid;
  }

  /** Counts from here on; the function returned ends it and tells the milliseconds. */
  start(): () => number {
    this.#account();
    const share: Share = { cpuMs: 0 };
    this.#shares.add(share);
    return () => {
      this.#account();
      this.#shares.delete(share);
      return share.cpuMs;
    };
  }

  #account(): void {
    const pid = this.#pid();
    const nowMs = pid === undefined ? 0 : processCpuMs(pid);
    if (pid === this.#lastPid && this.#shares.size > 0) {
      const each = Math.max(0, nowMs - this.#lastMs) / this.#shares.size;
      for (const share of this.#shares) share.cpuMs += each;
    }
    this.#lastPid = pid;
    this.#lastMs = nowMs;
  }
}

function processCpuMs(pid: number): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The second field is the program's name in parentheses and may hold spaces.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return (Number(fields[UTIME_FIELD - 2]) + Number(fields[STIME_FIELD - 2])) * MS_PER_TICK;
  } catch {
    return 0;
  }
}
