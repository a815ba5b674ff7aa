import { execFileSync } from 'node:child_process';
import { processMemory } from '../own-memory.ts';
import { reserveHeap } from '../process/reserved-heap.ts';

/** A program that reserves V8's heap, gives up nearly all other memory, and then needs both generations of the heap. */

const LEFT_BYTES = 4 << 20;
const OBJECTS = 4_000_000;
const ALIVE = 50_000;
/** Longer arrays would not be in the heap that is reserved. */
const ARRAY_LENGTH = 1_000;

reserveHeap(32 << 20);
const limit = processMemory('self')!.reservedBytes + LEFT_BYTES;
execFileSync('prlimit', ['--pid', String(process.pid), `--data=${limit}:`]);
let alive: { readonly text: string }[][] = [];
for (let made = 0; made < OBJECTS; made += ARRAY_LENGTH) {
  alive.push(Array.from({ length: ARRAY_LENGTH }, (_, i) => ({ text: `text ${made + i}` })));
  if (alive.length * ARRAY_LENGTH > ALIVE) alive = [];
}
process.stdout.write('done');
