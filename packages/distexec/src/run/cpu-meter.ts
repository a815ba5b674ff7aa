import { closeSync, openSync, readSync } from 'node:fs';

/** The unit of `/proc/<pid>/stat`: Linux reports hundredths of a second, whatever its tick. */
const MS_PER_TICK = 10;
const UTIME_FIELD = 13;
const STIME_FIELD = 14;

interface Share {
  cpuMs: number;
}

/** The CPU time of a task. */
export interface TaskCpu {
  /** The milliseconds so far. */
  ms(): number;
  /** Ends the measurement and returns its milliseconds. */
  end(): number;
}

/**
 * Measures the CPU time of the kernel process per task. Time that passes while several tasks run is divided
 * evenly among them. Statements outside of tasks count as well. The resolution is 10 ms; the result is 0 if
 * the system does not report CPU time.
 */
export class CpuMeter {
  readonly #pid: () => number | undefined;
  readonly #shares = new Set<Share>();
  readonly #stat = new StatFile();
  #lastPid: number | undefined;
  #lastMs = 0;

  constructor(pid: () => number | undefined) {
    this.#pid = pid;
  }

  /** Starts measuring a task. */
  start(): TaskCpu {
    this.#account();
    const share: Share = { cpuMs: 0 };
    this.#shares.add(share);
    const ms = () => {
      if (this.#shares.has(share)) this.#account();
      return share.cpuMs;
    };
    const end = () => {
      ms();
      this.#shares.delete(share);
      return share.cpuMs;
    };
    return { ms, end };
  }

  close(): void {
    this.#stat.close();
  }

  #account(): void {
    const pid = this.#pid();
    const nowMs = pid === undefined ? 0 : this.#stat.cpuMs(pid);
    if (pid === this.#lastPid && this.#shares.size > 0) {
      const each = Math.max(0, nowMs - this.#lastMs) / this.#shares.size;
      for (const share of this.#shares) share.cpuMs += each;
    }
    this.#lastPid = pid;
    this.#lastMs = nowMs;
  }
}

/** `/proc/<pid>/stat` of one process, kept open: to open it for every task costs more than to read it. */
class StatFile {
  readonly #buffer = Buffer.alloc(4_096);
  #open: { readonly pid: number; readonly fd: number } | undefined;

  /** 0 if the process has ended, or the system has no such file. */
  cpuMs(pid: number): number {
    try {
      if (this.#open?.pid !== pid) {
        this.close();
        this.#open = { pid, fd: openSync(`/proc/${pid}/stat`, 'r') };
      }
      const length = readSync(this.#open!.fd, this.#buffer, 0, this.#buffer.length, 0);
      const stat = this.#buffer.toString('latin1', 0, length);
      // The second field is the program's name in parentheses and may contain spaces.
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      return (Number(fields[UTIME_FIELD - 2]) + Number(fields[STIME_FIELD - 2])) * MS_PER_TICK;
    } catch {
      this.close();
      return 0;
    }
  }

  close(): void {
    if (this.#open !== undefined) closeSync(this.#open.fd);
    this.#open = undefined;
  }
}
