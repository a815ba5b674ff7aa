import { readFileSync } from 'node:fs';
import { newUlid } from '@tessera/common';

/** A name for this process, by which other processes of the host can see whether it still runs. Used once. */
export const ownProcessName = (): string => `${newUlid()}@${process.pid}.${startOf(process.pid) ?? ''}`;

const NAME = /@(\d+)\.(\d*)$/;

export const isProcessName = (name: string): boolean => NAME.test(name);

/** Whether the process of this host with such a name runs. */
export function isRunning(name: string): boolean {
  const [, pid, start] = NAME.exec(name) ?? [];
  return pid !== undefined && startOf(Number(pid)) === start;
}

/** When the process started, in clock ticks since the host did: the id of a process may be used again later. */
function startOf(pid: number): string | undefined {
  try {
    // The second field is the name of the program in brackets, which may hold blanks and brackets itself.
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
  } catch {
    return undefined;
  }
}
