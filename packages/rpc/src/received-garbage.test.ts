import { constants, PerformanceObserver } from 'node:perf_hooks';
import { expect, it } from 'vitest';
import { countReceived } from './received-garbage.ts';

interface GcEntry {
  readonly detail: { readonly kind: number; readonly flags: number };
}

it('the young generation is collected for every 32 MiB that are received', async () => {
  // Messages that other tests of the process have received must not count.
  countReceived(32 << 20);
  const since = performance.now();
  const kinds: number[] = [];
  const observer = new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      const { kind, flags } = (entry as unknown as GcEntry).detail;
      // Entries of collections are delivered later, so an earlier one may be among them.
      if (entry.startTime >= since && (flags & constants.NODE_PERFORMANCE_GC_FLAGS_FORCED) !== 0)
        kinds.push(kind);
    }
  });
  observer.observe({ entryTypes: ['gc'] });
  for (let mib = 0; mib < 65; mib++) countReceived(1 << 20);
  await expect.poll(() => kinds).toEqual([1, 1].map(() => constants.NODE_PERFORMANCE_GC_MINOR));
  observer.disconnect();
});
