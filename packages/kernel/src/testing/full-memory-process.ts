import { execFileSync } from 'node:child_process';
import { processMemory } from '../own-memory.ts';
import { reserveHeap, spreadTexts } from '../process/reserved-heap.ts';

/** A program that reserves V8's heap, gives up all other memory, and then needs both generations of the heap, and code. */

const OBJECTS = 4_000_000;
const ALIVE = 50_000;
/** Longer arrays would not be in the heap that is reserved. */
const ARRAY_LENGTH = 1_000;

reserveHeap(32 << 20, process.argv[2] === 'texts' ? spreadTexts : undefined);
const limit = processMemory('self')!.reservedBytes;
execFileSync('prlimit', ['--pid', String(process.pid), `--data=${limit}:`]);
let alive: { readonly text: string }[][] = [];
for (let made = 0; made < OBJECTS; made += ARRAY_LENGTH) {
  alive.push(Array.from({ length: ARRAY_LENGTH }, (_, i) => ({ text: `text ${made + i}` })));
  if (alive.length * ARRAY_LENGTH > ALIVE) alive = [];
}
/** They take 1 MiB of bytecode, and as much of compiled code. */
const FUNCTIONS = 200;
const CALLS = 500;
const body = Array.from({ length: 100 }, (_, i) => `x = (x * ${i + 2} + y[${i}]) | 0;`).join('');
const made: ((x: number, y: readonly number[]) => number)[] = [];
for (let i = 0; i < FUNCTIONS; i += 1) {
  const one = new Function('x', 'y', `${body} return x + ${i};`) as (typeof made)[number];
  for (let call = 0; call < CALLS; call += 1) one(call, [1, 2, 3]);
  made.push(one);
}
process.stdout.write('done');
