import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

/**
 * The first line that a process prints on stdout, however its bytes arrive. What it prints later is read and ignored.
 * @throws Error if the process closes its output before
 */
export async function firstLine({ stdout, spawnargs }: ChildProcess): Promise<string> {
  const lines = createInterface({ input: stdout! });
  const first = once(lines, 'line').then(([line]) => String(line));
  const line = await Promise.race([first, once(lines, 'close').then(() => undefined)]);
  if (line === undefined) throw new Error(`the process printed nothing: ${spawnargs.join(' ')}`);
  return line;
}
