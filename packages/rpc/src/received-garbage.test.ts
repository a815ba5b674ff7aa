import { constants, PerformanceObserver } from 'node:perf_hooks';
import { expect, it } from 'vitest';
import { countReceived } from './received-garbage.ts';

interface GcEntry {
  readonly detail: { readonly flags: number };
}

it('garbage is collected for every 32 MiB that are received', async () => {
  // Messages that other tests of the process have received must not count.
  countReceived(32 << 20);
  const since = performance.now();
  let forced = 0;
  const observer = new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      const { flags } = (entry as unknown as GcEntry).detail;
      // Entries of collections are delivered later, so an earlier one may be among them. V8 may collect the whole heap instead
      // of the young generation if that is due anyway.
      if (entry.startTime >= since && (flags & constants.NODE_PERFORMANCE_GC_FLAGS_FORCED) !== 0) forced += 1;
    }
  });
  observer.observe({ entryTypes: ['gc'] });
  for (let mib = 0; mib < 65; mib++) countReceived(1 << 20);
  await expect.poll(() => forced).toBe(2);
  observer.disconnect();
});
