import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, it } from 'vitest';
import { CpuMeter } from './cpu-meter.ts';

function busyFor(ms: number): void {
  const { user } = process.cpuUsage();
  while (process.cpuUsage().user - user < ms * 1_000);
}

it.skipIf(process.platform !== 'linux')(
  'divides the CPU time of a process among the tasks that run (Linux only)',
  () => {
    const meter = new CpuMeter(() => process.pid);
    const [endFirst, endSecond] = [meter.start(), meter.start()];
    busyFor(60);
    const first = endFirst();
    busyFor(60);
    const second = endSecond();
    expect(first).toBeGreaterThanOrEqual(10);
    expect(second).toBeGreaterThanOrEqual(first + 40);
    meter.close();
  },
);

it('a process that has ended, and its successor, are no error', async () => {
  const child = spawn('sleep', ['60']);
  await once(child, 'spawn');
  let pid: number | undefined = child.pid;
  const meter = new CpuMeter(() => pid);
  const endOfChild = meter.start();
  child.kill();
  await once(child, 'exit');
  expect(endOfChild()).toBe(0);
  pid = process.pid;
  const end = meter.start();
  busyFor(40);
  expect(end()).toBeGreaterThanOrEqual(process.platform === 'linux' ? 20 : 0);
  pid = undefined;
  expect(meter.start()()).toBe(0);
  meter.close();
});
