/** About 4 KiB. */
const ARRAY_LENGTH = 500;
const ARRAY_BYTES = 8 * ARRAY_LENGTH;
/** A page of V8 has 256 KiB. One array in 64 KiB keeps every page, whatever order the collector gives them. */
const KEEP_EVERY = 16;

/** Keeps the pages. */
const kept: unknown[] = [];

/**
 * Gives the old generation of V8 `bytes` of free memory that it never returns to the system. V8 ends the process if it
 * gets no page for an object that survives a collection, and queries may hold all memory at that moment. Without
 * compaction, V8 keeps each page that has a live object and allocates in the rest of the page. The memory is reserved,
 * but not resident until V8 uses it.
 * The flags that this depends on are in `kernel-process-handle.ts`.
 */
export function reserveHeap(bytes: number): void {
  const arrays = Array.from({ length: bytes / ARRAY_BYTES }, () => new Array<number>(ARRAY_LENGTH).fill(0));
  collect('major');
  kept.push(...arrays.filter((_, i) => i % KEEP_EVERY === 0));
  arrays.length = 0;
  // It also lets the system take the pages' free memory, and half of the young generation, which two more take back.
  collect('major', 'last-resort');
  collect('minor');
  collect('minor');
}

function collect(type: 'major' | 'minor', flavor: 'regular' | 'last-resort' = 'regular'): void {
  if (globalThis.gc === undefined) throw new Error('the kernel process needs --expose-gc');
  globalThis.gc({ execution: 'sync', type, flavor });
}
