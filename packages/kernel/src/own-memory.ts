import { readFileSync } from 'node:fs';

const KIB = 1024;

/** What a process has in memory of its own, in bytes; 0 where that cannot be known, as for one that has ended. Files it maps are shared. */
export const ownMemory = (pid: number | 'self' | undefined): number => statusBytes(pid, 'RssAnon');

/** What a process has reserved for data, in bytes, whether it is in memory or not. */
export const reservedMemory = (pid: number | 'self' | undefined): number => statusBytes(pid, 'VmData');

function statusBytes(pid: number | 'self' | undefined, name: string): number {
  if (pid === undefined || process.platform !== 'linux') return 0;
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    return KIB * Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1] ?? 0);
  } catch {
    return 0;
  }
}
