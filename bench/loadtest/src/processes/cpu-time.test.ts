import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { expect, test } from 'vitest';
import { cpuSeconds } from './cpu-time.ts';

/** Uses half a second of CPU time in a process below an idle process, then reports. */
const WORKER = 'while (process.cpuUsage().user < 500_000); console.log("done"); setInterval(() => {}, 1000)';
const PARENT = `require('node:child_process').spawn(process.execPath, ['-e', ${JSON.stringify(WORKER)}], { stdio: 'inherit' })`;

test('counts what children use, while they run', async () => {
  const parent = spawn(process.execPath, ['-e', PARENT], {
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
  });
  await once(createInterface(parent.stdout), 'line');
  const used = cpuSeconds(parent.pid!);
  process.kill(-parent.pid!, 'SIGKILL');
  expect(used).toBeGreaterThan(0.45);
  expect(used).toBeLessThan(5);
});

test('the CPU time of a missing process is 0', () => {
  expect(cpuSeconds(2 ** 22)).toBe(0);
});
