import { setFlagsFromString } from 'node:v8';

/** About 4 KiB. */
const ARRAY_LENGTH = 500;
const ARRAY_BYTES = 8 * ARRAY_LENGTH;
/** A page of V8 has 256 KiB. One array in 64 KiB keeps every page, whatever order the collector gives them. */
const KEEP_EVERY = 16;

/** Each function takes about 8 KiB of compiled code, and 5 KiB of bytecode. */
const FUNCTIONS = { number: 400, keepEvery: 8, statements: 100, bytes: 13 << 10 };

/** Keeps the pages. */
const kept: unknown[] = [];

/**
 * Gives the old generation of V8 `bytes` of free memory that it never returns to the system, and some to its compilers.
 * V8 ends the process if it gets no page for an object that survives a collection, or for code, and queries may hold all
 * memory at that moment. Without compaction, V8 keeps each page that has a live object and allocates in the rest of the
 * page. The memory is reserved, but not resident until V8 uses it.
 * The flags that this depends on are in `kernel-process-handle.ts`.
 * @returns the bytes reserved in all
 */
export function reserveHeap(bytes: number): number {
  const functions = compiledFunctions();
  const arrays = Array.from({ length: bytes / ARRAY_BYTES }, () => new Array<number>(ARRAY_LENGTH).fill(0));
  // Two of them: an object moves to the old generation when it survives its second collection.
  collect('minor');
  collect('minor');
  kept.push(...arrays.filter((_, i) => i % KEEP_EVERY === 0));
  kept.push(...functions.filter((_, i) => i % FUNCTIONS.keepEvery === 0));
  arrays.length = 0;
  functions.length = 0;
  // It also lets the system take the pages' free memory.
  collect('major', 'last-resort');
  collect('minor');
  collect('minor');
  return bytes + FUNCTIONS.number * FUNCTIONS.bytes;
}

/** Functions with bytecode and compiled code, which have pages of their own. */
function compiledFunctions(): (() => unknown)[] {
  const body = Array.from(
    { length: FUNCTIONS.statements },
    (_, i) => `x = (x * ${i + 2} + y[${i}]) | 0;`,
  ).join('');
  setFlagsFromString('--always-sparkplug');
  try {
    return Array.from({ length: FUNCTIONS.number }, (_, i) => {
      const compiled = new Function('x', 'y', `${body} return x + ${i};`) as (
        x: number,
        y: number[],
      ) => number;
      compiled(0, []);
      return compiled as unknown as () => unknown;
    });
  } finally {
    setFlagsFromString('--no-always-sparkplug');
  }
}

function collect(type: 'major' | 'minor', flavor: 'regular' | 'last-resort' = 'regular'): void {
  if (globalThis.gc === undefined) throw new Error('the kernel process needs --expose-gc');
  globalThis.gc({ execution: 'sync', type, flavor });
}
