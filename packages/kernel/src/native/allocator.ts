import koffi from 'koffi';
import { libc, mallocTrim, type Native, optional, type Pointer } from './libc.ts';
import { lib, memcpy, offLoop } from './library.ts';
import { NativeBlock } from './memory.ts';

/** What glibc keeps at the end of its heap for small allocations, which must not fail: see `KernelProcessHandle`. */
const KEPT_BYTES = Number(process.env.MALLOC_TOP_PAD_ ?? 0);
/** "All arenas" in the allocator's own numbering. */
const PURGE_ALL = 'arena.4096.purge';

/** The library includes jemalloc on Linux; elsewhere it uses the system's allocator. */
const mallctl = optional(
  () =>
    lib.func('duckdb_je_mallctl', 'int', [
      'str',
      'void *',
      'void *',
      'void *',
      'size_t',
    ]) as unknown as Native<number, [string, Pointer | null, Pointer | null, Pointer | null, number]>,
);
/** Settings of jemalloc for freed memory: for arenas that it creates later, and for existing ones. */
const DECAYS = ['dirty_decay_ms', 'muzzy_decay_ms'];
const retainSwitch = optional(() => lib.symbol('duckdb_je_opt_retain') as Pointer);

/**
 * Makes jemalloc unmap memory that it releases. By default it only allows the system to take the pages and
 * later reuses the addresses without a further allocation, so a limit on allocations would not apply.
 */
export function unmapFreedMemory(): void {
  if (retainSwitch !== undefined) memcpy(retainSwitch, new Uint8Array(1), 1);
}

/**
 * Sets how long jemalloc keeps freed memory. Each arena keeps its own, which the threads of other arenas cannot use. With 0,
 * memory is returned to the system as it is freed, which costs a quarter more processor time where much is freed.
 */
export async function keepFreedMemory(ms: number): Promise<void> {
  if (mallctl === undefined) return;
  const block = new NativeBlock(16);
  block.bytes.writeBigUInt64LE(4n, 8);
  mallctl('arenas.narenas', block.at(0), block.at(8), null, 0);
  const arenas = block.bytes.readUInt32LE(0);
  block.bytes.writeBigInt64LE(BigInt(ms), 0);
  for (const decay of DECAYS) {
    mallctl(`arenas.${decay}`, null, null, block.address, 8);
    // It fails for an arena that does not exist yet. The call may return much memory.
    for (let i = 0; i < arenas; i++)
      await offLoop(block, mallctl, `arena.${i}.${decay}`, null, null, block.address, 8);
  }
}

/** Returns the freed memory that both allocators keep to the system. */
export async function returnFreedMemory(): Promise<void> {
  const owner = {};
  if (mallctl !== undefined) await offLoop(owner, mallctl, PURGE_ALL, null, null, null, 0);
  if (mallocTrim !== undefined) await offLoop(owner, mallocTrim, KEPT_BYTES);
}

/** Its members are `arena`, `ordblks`, and so on; `fordblks` is the bytes of all free pieces. */
const MALLINFO = koffi.struct('mallinfo2', {
  before: koffi.array('size_t', 8),
  fordblks: 'size_t',
  keepcost: 'size_t',
});
/** The C library of other systems does not have it. */
const mallinfo = optional(
  () => libc.func('mallinfo2', MALLINFO, []) as unknown as Native<{ fordblks: number }, []>,
);

/**
 * The bytes in the C library's heaps that nothing uses. They count as reserved; after `returnFreedMemory` they are hardly
 * resident. A heap only shrinks from its end, where a small piece in use may be.
 */
export async function freeHeapBytes(): Promise<number> {
  if (mallinfo === undefined) return 0;
  return Number((await offLoop({}, mallinfo)).fordblks);
}
