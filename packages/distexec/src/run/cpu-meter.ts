import { readFileSync } from 'node:fs';

/** The unit of `/proc/<pid>/stat`: Linux reports hundredths of a second, whatever its tick. */
const MS_PER_TICK = 10;
const UTIME_FIELD = 13;
const STIME_FIELD = 14;

interface Share {
  cpuMs: number;
}

/**
 * Measures the CPU time of the kernel process per task. Time that passes while several tasks run is divided
 * evenly among them. Statements outside of tasks count as well. The resolution is 10 ms; the result is 0 if
 * the system does not report CPU time.
 */
export class CpuMeter {
  readonly #pid: () => number | undefined;
  readonly #shares = new Set<Share>();
  #lastPid: number | undefined;
  #lastMs = 0;

  constructor(pid: () => number | undefined) {
    this.#pid = pid;
  }

  /** Starts measuring; the returned function ends it and returns the milliseconds. */
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
    // The second field is the program's name in parentheses and may contain spaces.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return (Number(fields[UTIME_FIELD - 2]) + Number(fields[STIME_FIELD - 2])) * MS_PER_TICK;
  } catch {
    return 0;
  }
}
