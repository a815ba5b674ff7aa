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
    const [first, second] = [meter.start(), meter.start()];
    busyFor(60);
    const shared = first.end();
    expect(shared).toBeGreaterThanOrEqual(10);
    expect(second.ms()).toBe(shared);
    busyFor(60);
    expect(second.ms()).toBeGreaterThanOrEqual(shared + 40);
    expect(second.end()).toBeGreaterThanOrEqual(shared + 40);
    expect(first.ms()).toBe(shared);
    meter.close();
  },
);

it('a process that has ended, and its successor, are no error', async () => {
  const child = spawn('sleep', ['60']);
  await once(child, 'spawn');
  let pid: number | undefined = child.pid;
  const meter = new CpuMeter(() => pid);
  const ofChild = meter.start();
  child.kill();
  await once(child, 'exit');
  expect(ofChild.end()).toBe(0);
  pid = process.pid;
  const cpu = meter.start();
  busyFor(40);
  expect(cpu.end()).toBeGreaterThanOrEqual(process.platform === 'linux' ? 20 : 0);
  pid = undefined;
  expect(meter.start().end()).toBe(0);
  meter.close();
});
