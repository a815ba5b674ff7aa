import { constants, type PerformanceEntry, PerformanceObserver } from 'node:perf_hooks';
import { setImmediate as turn } from 'node:timers/promises';
import { noteBuffer } from '../heap-limits.ts';

/** A program that keeps buffers of 320 MiB twice, unnoted and noted, and prints how often V8 collected the whole heap. */

const BUFFERS = 160;
const BYTES = 2 << 20;

let collections = 0;
const observer = new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) {
    const { detail } = entry as PerformanceEntry & { readonly detail: { readonly kind: number } };
    if (detail.kind === constants.NODE_PERFORMANCE_GC_MAJOR) collections++;
  }
});
observer.observe({ entryTypes: ['gc'] });

const unnoted = await collectionsDuring(() => undefined);
const noted = await collectionsDuring(noteBuffer);
process.stdout.write(JSON.stringify({ unnoted, noted }));

async function collectionsDuring(note: (bytes: number) => void): Promise<number> {
  const before = collections;
  const kept: Buffer[] = [];
  for (let i = 0; i < BUFFERS; i++) {
    kept.push(Buffer.allocUnsafeSlow(BYTES));
    note(BYTES);
    // V8 ends a collection in a task, and reports it in another one.
    for (let turns = 0; turns < 20; turns++) await turn();
  }
  for (const { buffer } of kept) (buffer as ArrayBuffer).transfer(0);
  return collections - before;
}
