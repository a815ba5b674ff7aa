import { spawn } from 'node:child_process';
import { once } from 'node:events';

/**
 * Shows a text in the pager of the user: $PAGER, or less. Resolves when the pager has ended; false if it could not be
 * started.
 */
export async function showInPager(text: string, environment = process.env): Promise<boolean> {
  const command = environment.PAGER?.trim() || 'less';
  const pager = spawn(command, {
    shell: true,
    stdio: ['pipe', 'inherit', 'inherit'],
    env: { ...environment, LESS: environment.LESS ?? 'FRSX' },
  });
  // Ctrl-C is meant for the pager, which shares the terminal.
  const ignore = () => {};
  process.on('SIGINT', ignore);
  // The pager may end before it has read everything.
  pager.stdin.on('error', ignore);
  try {
    pager.stdin.end(text);
    const [code] = (await once(pager, 'close')) as [number | null];
    return code !== 126 && code !== 127;
  } catch {
    return false;
  } finally {
    process.off('SIGINT', ignore);
  }
}
