import { readFileSync } from 'node:fs';

const KIB = 1024;

interface ProcessMemory {
  /** The private resident memory in bytes, without shared pages such as mapped files. */
  readonly ownBytes: number;
  /** The bytes reserved for data, resident or not: the amount that `RLIMIT_DATA` limits. */
  readonly reservedBytes: number;
}

/** Undefined if it cannot be determined: the process has ended, or the system is not Linux. */
export function processMemory(pid: number | 'self' | undefined): ProcessMemory | undefined {
  if (pid === undefined || process.platform !== 'linux') return undefined;
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    return { ownBytes: bytesIn(status, OWN), reservedBytes: bytesIn(status, RESERVED) };
  } catch {
    return undefined;
  }
}

const OWN = /^RssAnon:\s+(\d+) kB$/m;
const RESERVED = /^VmData:\s+(\d+) kB$/m;

const bytesIn = (status: string, line: RegExp): number => KIB * Number(line.exec(status)?.[1] ?? 0);
