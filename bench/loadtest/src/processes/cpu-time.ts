import { readFileSync } from 'node:fs';

/** `sysconf(_SC_CLK_TCK)`, the same on every Linux that Node.js runs on. */
const TICKS_PER_SECOND = 100;
/** The fields of `/proc/<pid>/stat` after the name: user and system time, and those of awaited children. */
const TIME_FIELDS = [11, 12, 13, 14];

/**
 * The CPU seconds that a process and its descendants have used, including ended ones once they were awaited.
 */
export const cpuSeconds = (pid: number): number =>
  [pid, ...descendants(pid)].reduce((sum, each) => sum + ticks(each), 0) / TICKS_PER_SECOND;

function descendants(pid: number): number[] {
  const children = read(`${pid}/task/${pid}/children`)
    .split(' ')
    .filter((word) => word !== '')
    .map(Number);
  return children.flatMap((child) => [child, ...descendants(child)]);
}

function ticks(pid: number): number {
  const stat = read(`${pid}/stat`);
  // The name may contain any character, including parentheses.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return TIME_FIELDS.reduce((sum, field) => sum + Number(fields[field] ?? 0), 0);
}

/** A process may end between being listed and being read. */
function read(path: string): string {
  try {
    return readFileSync(`/proc/${path}`, 'utf8');
  } catch {
    return '';
  }
}
