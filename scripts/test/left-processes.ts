import { existsSync, readdirSync, readFileSync } from 'node:fs';

/**
 * Kills the processes that have this variable with this value in their environment. Processes inherit it, so these are the
 * processes that a test run has started and that outlived its runner, for example because a signal ended the runner.
 */
export function killProcessesWith(variable: string, value: string): void {
  // Only Linux shows the environment of processes.
  if (!existsSync('/proc/self/environ')) return;
  const killed = new Set([process.pid]);
  const found = () =>
    readdirSync('/proc')
      .map(Number)
      .filter((pid) => pid > 0 && !killed.has(pid) && environmentOf(pid).includes(`${variable}=${value}`));
  // A process may have started another one before it was killed.
  for (let pids = found(); pids.length > 0; pids = found()) {
    for (const pid of pids) {
      killed.add(pid);
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // It has ended meanwhile.
      }
    }
  }
}

function environmentOf(pid: number): readonly string[] {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0');
  } catch {
    // It has ended meanwhile, or belongs to another user.
    return [];
  }
}
