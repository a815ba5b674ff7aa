import { setTimeout as delay } from 'node:timers/promises';
import type { Native, Pointer } from '../native/libc.ts';
import { lib } from '../native/library.ts';
import { NativeBlock } from '../native/memory.ts';
import { processMemory } from '../own-memory.ts';
import { MemoryCeiling, reserveStacks } from '../process/memory-ceiling.ts';

/**
 * A program that uses most of its memory ceiling from one arena of the kernel's allocator, frees it, and at once needs as much
 * from another arena, as another thread would; it prints whether it gets it.
 */

const MIB = 1 << 20;
const BLOCK_BYTES = 256 << 10;
const BLOCKS = 1_800;
const MAX_WAIT_MS = 5_000;

const allocate = lib.func('duckdb_je_mallocx', 'void *', ['size_t', 'int']) as unknown as Native<
  Pointer | null,
  [number, number]
>;
const free = lib.func('duckdb_je_dallocx', 'void', ['void *', 'int']) as unknown as Native<
  void,
  [Pointer, number]
>;
const control = lib.func('duckdb_je_mallctl', 'int', [
  'str',
  'void *',
  'void *',
  'void *',
  'size_t',
]) as unknown as Native<number, [string, Pointer, Pointer, null, number]>;

await reserveStacks();
const arenas = [createArena(), createArena()] as const;
const ceiling = (await MemoryCeiling.prepare(0))!;
ceiling.set(processMemory('self')!.ownBytes + 600 * MIB);
const first = blocksOf(arenas[0]);
const deadline = performance.now() + MAX_WAIT_MS;
while (keptMs(arenas[0]) !== 0 && performance.now() < deadline) await delay(10);
for (const block of first) free(block, flagsOf(arenas[0]));
const second = blocksOf(arenas[1]);
for (const block of second) free(block, flagsOf(arenas[1]));
while (keptMs(arenas[0]) === 0 && performance.now() < deadline) await delay(10);

const result = { first: first.length, second: second.length, keptMs: keptMs(arenas[0]) };
process.stdout.write(JSON.stringify(result), () => process.exit());

function createArena(): number {
  return read('arenas.create', 4).readUInt32LE();
}

/** How long freed memory is kept. */
function keptMs(arena: number): number {
  return Number(read(`arena.${arena}.dirty_decay_ms`, 8).readBigInt64LE());
}

function read(name: string, bytes: number): Buffer {
  const block = new NativeBlock(16);
  block.bytes.writeBigUInt64LE(BigInt(bytes), 8);
  if (control(name, block.at(0), block.at(8), null, 0) !== 0) throw new Error(`${name} cannot be read`);
  return block.bytes;
}

/** In the arena, past the cache of the thread. */
function flagsOf(arena: number): number {
  return ((arena + 1) << 20) | (1 << 8);
}

/** As many blocks as there is memory for. */
function blocksOf(arena: number): Pointer[] {
  const blocks: Pointer[] = [];
  while (blocks.length < BLOCKS) {
    const block = allocate(BLOCK_BYTES, flagsOf(arena));
    if (!block) break;
    blocks.push(block);
  }
  return blocks;
}
