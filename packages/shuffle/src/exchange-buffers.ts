import { readFileSync } from 'node:fs';
import type { KernelLog } from '@tessera/kernel';

/** The memory that a node's buffers would lock if they were registered with the operating system. */
const REGISTERED_BUFFERS_BYTES = 64 << 20;

/**
 * The `RLIMIT_MEMLOCK` of this process in bytes, `Infinity` without a limit; undefined if the system does not
 * report it.
 * @param limits in the format of `/proc/self/limits`
 */
export function lockedMemory(limits: string | undefined = ownLimits()): number | undefined {
  const soft = /^Max locked memory\s+(unlimited|\d+)\s/m.exec(limits ?? '')?.[1];
  if (soft === undefined) return undefined;
  return soft === 'unlimited' ? Number.POSITIVE_INFINITY : Number(soft);
}

/**
 * Logs at start-up how much memory the process may lock. The node starts in any case: rows go through plain
 * sockets and files.
 */
export function reportLockedMemory(log: KernelLog, limitBytes: number | undefined = lockedMemory()): void {
  const told = limitBytes === Number.POSITIVE_INFINITY ? 'unlimited' : (limitBytes ?? 'unknown');
  const fields = { memlockLimitBytes: told, wantedBytes: REGISTERED_BUFFERS_BYTES };
  if (limitBytes !== undefined && limitBytes < REGISTERED_BUFFERS_BYTES) {
    log.warn(
      fields,
      'RLIMIT_MEMLOCK is too low for registered shuffle buffers; the shuffle uses plain I/O (raise the limit with ulimit -l 65536, LimitMEMLOCK=64M in a systemd unit, or ulimits.memlock in a compose file)',
    );
  } else {
    log.info(
      fields,
      'RLIMIT_MEMLOCK allows registered shuffle buffers; the shuffle needs none and uses plain I/O',
    );
  }
}

function ownLimits(): string | undefined {
  try {
    return readFileSync('/proc/self/limits', 'utf8');
  } catch {
    return undefined;
  }
}
