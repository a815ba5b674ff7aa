import { setTimeout as delay } from 'node:timers/promises';
import { libc, type Native, type Pointer } from '../native/libc.ts';
import { offLoop } from '../native/library.ts';
import { processMemory } from '../own-memory.ts';
import { MemoryCeiling, reserveStacks } from '../process/memory-ceiling.ts';

/** A program whose memory ceiling is lowered while it has reserved more; it prints what the ceiling then allows. */

const MIB = 1 << 20;
const PIECES = { number: 40_000, bytes: 4 << 10 };

const malloc = libc.func('malloc', 'void *', ['size_t']) as unknown as Native<Pointer | null, [number]>;
const usleep = libc.func('usleep', 'int', ['uint32_t']) as unknown as Native<number, [number]>;
const free = libc.func('free', 'void', ['void *']) as unknown as Native<void, [Pointer]>;

await reserveStacks();
const ceiling = (await MemoryCeiling.prepare(0))!;
const own = processMemory('self')!.ownBytes;
const [high, low] = [own + 600 * MIB, own + 200 * MIB];
ceiling.set(high);
// None of its pages is resident.
const held = malloc(300 * MIB)!;
const fitsWhileHeld = await ceiling.allows(low);
ceiling.set(low);
const small = isAllowed(MIB);
const largeWhileHeld = isAllowed(100 * MIB);
free(held);
while (!(await ceiling.allows(low))) await delay(10);
while (isAllowed(250 * MIB)) await delay(10);
const large = isAllowed(100 * MIB);

const pieces = Array.from({ length: PIECES.number }, () => malloc(PIECES.bytes)!);
// The last one keeps the heap from shrinking.
const last = pieces.pop()!;
for (const piece of pieces) free(piece);
const largeBesideFreePieces = isAllowed(150 * MIB);
await ceiling.returnFreed();
const largeBesideReturnedPieces = isAllowed(150 * MIB);
free(last);

/** More than there are threads, and more threads than permanent stacks. */
const callsBesideFullMemory = await callsWhileFull(100);

const result = {
  fitsWhileHeld,
  small,
  largeWhileHeld,
  large,
  largeBesideFreePieces,
  largeBesideReturnedPieces,
  callsBesideFullMemory,
};
process.stdout.write(JSON.stringify(result), () => process.exit());

/** Runs native calls one after another and at the same time, while the process gets no more memory. */
async function callsWhileFull(calls: number): Promise<number> {
  const blocks: Pointer[] = [];
  for (let block = malloc(MIB); block; block = malloc(MIB)) blocks.push(block);
  const ended = await Promise.all(Array.from({ length: calls }, () => offLoop({}, usleep, 1_000)));
  for (const block of blocks) free(block);
  return ended.length;
}

function isAllowed(bytes: number): boolean {
  const block = malloc(bytes);
  if (block) free(block);
  return !!block;
}
