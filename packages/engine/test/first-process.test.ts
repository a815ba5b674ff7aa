import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { MAIN } from './programs.ts';

/** Runs a command as process 1 of a separate process namespace, as a container does. */
const OWN_SPACE = ['unshare', '--pid', '--fork', '--kill-child'] as const;

it('SIGTERM ends the first process of a container even during startup', async (t) => {
  if (spawnSync(OWN_SPACE[0], [...OWN_SPACE.slice(1), 'true']).status !== 0)
    t.skip('process spaces need more rights');
  const directory = await mkdtemp(join(tmpdir(), 'tessera-first-'));
  onTestFinished(() => rm(directory, { recursive: true }));
  const ports = ['http', 'health', 'metrics', 'storage-manager', 'storage-agent', 'distexec', 'shuffle'];
  const [program, ...args] = [...OWN_SPACE, process.execPath, MAIN, 'serve', '--data-dir', directory];
  const space = spawn(program, [...args, ...ports.flatMap((port) => [`--${port}-port`, '0'])], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let log = '';
  space.stderr.on('data', (data) => (log += data));
  const ended = once(space, 'exit');
  // No event shows when it handles signals, so the signal is repeated until it ends.
  await expect
    .poll(
      async () => {
        const [node] = await childrenOf(space.pid!);
        if (node !== undefined) process.kill(node, 'SIGTERM');
        return space.exitCode;
      },
      { timeout: 20_000, interval: 20 },
    )
    .toBe(143);
  await ended;
  expect(log).not.toContain('listening');
});

async function childrenOf(pid: number): Promise<number[]> {
  const list = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '');
  return list.trim().split(/\s+/).filter(Boolean).map(Number);
}
