import { asNodeName } from '@tessera/common';
import type { AgentMetrics } from '@tessera/storage-agent';
import { expect, test, vi } from 'vitest';
import { MetricsHistory } from './metrics-history.ts';

test('samples hold the change since the previous one', async () => {
  let requests = { hits: 3, misses: 1 };
  let isUp = true;
  const history = new MetricsHistory(
    {
      nodeName: () => asNodeName('node-0'),
      kernelMemory: async () => {
        if (!isUp) throw new Error('The kernel is starting');
        return { usedBytes: 1000, limitBytes: 2000, spilledBytes: 7 };
      },
      storageAgent: () => ({ bytesOnDisk: 50, ...requests }) as AgentMetrics,
      runningQueries: () => 2,
      queuedQueries: () => 5,
    },
    1,
  );
  await history.sample();
  requests = { hits: 3, misses: 3 };
  await history.sample();
  await history.sample();
  isUp = false;
  await history.sample();
  await history.close();
  const samples = await history.samples();
  expect(samples.map((sample) => sample.cacheHitRatio)).toEqual([0.75, 0, null]);
  expect(samples[0]).toMatchObject({
    diskBytes: 50,
    spilledBytes: 7,
    runningQueries: 2,
    suspendedQueries: 5,
  });
  expect(samples[0]!.memoryBytes).toBeGreaterThan(1000);
  for (const { cpuUsed } of samples) {
    expect(cpuUsed).toBeGreaterThanOrEqual(0);
    expect(cpuUsed).toBeLessThanOrEqual(1);
  }
});

test('samples are taken at the configured rate, and never concurrently', async () => {
  vi.useFakeTimers();
  try {
    let answer = async () => ({ usedBytes: 1, limitBytes: 2, spilledBytes: 0 });
    const history = new MetricsHistory(
      {
        nodeName: () => asNodeName('node-0'),
        kernelMemory: () => answer(),
        storageAgent: () => undefined,
        runningQueries: () => 0,
        queuedQueries: () => 0,
      },
      12,
    );
    await vi.advanceTimersByTimeAsync(60_000);
    expect(await history.samples()).toHaveLength(12);
    const asked = vi.fn(() => new Promise<never>(() => {}));
    answer = asked;
    await vi.advanceTimersByTimeAsync(60_000);
    expect(asked).toHaveBeenCalledOnce();
    await history.close();
  } finally {
    vi.useRealTimers();
  }
});
