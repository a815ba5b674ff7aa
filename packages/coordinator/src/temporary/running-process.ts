import { readFileSync } from 'node:fs';
import { newUlid } from '@tessera/common';

/**
 * A name for this process by which other processes of the host can tell whether it is still running. Used
 * once.
 */
export const ownProcessName = (): string => `${newUlid()}@${process.pid}.${startOf(process.pid) ?? ''}`;

const NAME = /@(\d+)\.(\d*)$/;

export const isProcessName = (name: string): boolean => NAME.test(name);

/** Whether the process of this host with such a name is running. */
export function isRunning(name: string): boolean {
  const [, pid, start] = NAME.exec(name) ?? [];
  return pid !== undefined && startOf(Number(pid)) === start;
}

/** The start time of the process in clock ticks since boot, because process ids are reused. */
function startOf(pid: number): string | undefined {
  try {
    // The second field is the program's name in parentheses, which may contain blanks and parentheses itself.
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
  } catch {
    return undefined;
  }
}
