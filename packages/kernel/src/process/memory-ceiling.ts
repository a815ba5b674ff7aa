import { freeHeapBytes, keepFreedMemory, returnFreedMemory, unmapFreedMemory } from '../native/allocator.ts';
import { libc, type Native, type Pointer, RESIDENT_STACKS, STACK_BYTES } from '../native/libc.ts';
import { observeFurtherStacks, offLoop } from '../native/library.ts';
import { NativeBlock } from '../native/memory.ts';
import { processMemory } from '../own-memory.ts';

const RLIMIT_DATA = 2;
/** While all of them sleep, each has a thread and a stack of its own. */
const SLEEP_MICROSECONDS = 50_000;
/**
 * Above this fraction of the ceiling, memory that the allocators keep after it was freed is returned to the
 * system.
 */
const RETURN_FREED = { fromShare: 0.5, everyMs: 250 };

/**
 * Above this fraction of the ceiling, freed memory is not kept at all, until the process is below the other one. What one
 * thread has freed could otherwise be missing for another one before the next return.
 */
const KEEP_NOTHING = { fromShare: 0.7, untilShare: 0.6, everyMs: 100 };
/** How long jemalloc keeps freed memory otherwise: the value that the library sets. */
const KEEP_FREED_MS = 1_000;

const NEAR_SHARE = 0.6;
/**
 * Left to the process when its ceiling is lowered: for small allocations of V8 and of the libraries, which end the process
 * if they fail.
 */
const LEFT_BYTES = 16 << 20;
/**
 * Makes the operating system refuse this process more than a given amount of private memory. The allocation
 * that exceeds it fails, inside the query that requests it, whether the kernel accounts for it or not. Linux
 * only; elsewhere it has no effect.
 * The system limits reserved memory. Stacks are reserved but hardly used, so memory that is reserved but not
 * resident at the start is added to the limit. So are free pieces in the heaps of the C library, as far as they are
 * more than at the start. Otherwise freed memory is unmapped, and the process reserves hardly more than it uses.
 * The ceiling never falls below what the process has reserved: then every allocation would fail, also those of V8, which
 * would end the process. It falls with what the process has, down to the wanted value.
 */
export class MemoryCeiling {
  readonly #pair = new NativeBlock(16);
  /** Only a privileged process may raise it. */
  readonly #most: bigint;
  readonly #unusedBytes: number;
  readonly #freeAtStartBytes: number;
  #bytes = 0;
  /** The limit in effect, without further stacks: above the wanted one while the process has too much. */
  #limitBytes = 0;
  /** How much more the heaps of the C library have that nothing uses than at the start. It is not resident. */
  #freeBytes = 0;
  #stackBytes = 0;
  /** The stacks of threads that were started later than this was prepared. */
  #threadBytes = 0;
  /** Whether freed memory is returned as it is freed. */
  #keepsNothing = false;
  #isSwitching = false;
  /** Resolves when the last return of freed memory has ended. */
  #returned: Promise<void> | undefined;

  private constructor(most: bigint, unusedBytes: number, freeAtStartBytes: number) {
    this.#most = most;
    this.#unusedBytes = unusedBytes;
    this.#freeAtStartBytes = freeAtStartBytes;
    observeFurtherStacks((bytes) => {
      this.#stackBytes = bytes;
      this.#apply();
    });
    setInterval(() => this.#comeDown(), RETURN_FREED.everyMs).unref();
    setInterval(() => this.#watchFreed(), KEEP_NOTHING.everyMs).unref();
  }

  /**
   * Returns undefined if the system has no such limit. The stacks must have been reserved.
   * @param heapReserveBytes memory that is reserved for V8's heap and not resident; queries cannot get it
   */
  static async prepare(heapReserveBytes: number): Promise<MemoryCeiling | undefined> {
    unmapFreedMemory();
    const memory = processMemory('self');
    if (memory === undefined) return undefined;
    const pair = new NativeBlock(16);
    if (getrlimit(RLIMIT_DATA, pair.address) !== 0) return undefined;
    const unused = memory.reservedBytes - memory.ownBytes - heapReserveBytes;
    return new MemoryCeiling(pair.pointerAt(8), unused, await freeHeapBytes());
  }

  /** Whether the process uses nearly all of its memory, or did a moment ago: freeing memory takes a while. */
  get isNear(): boolean {
    return this.#countedBytes() > this.#bytes * NEAR_SHARE;
  }

  /** Whether hardly any memory is left for small allocations, which end the process if they fail. */
  get isExhausted(): boolean {
    return this.#countedBytes() + LEFT_BYTES > this.#limitBytes - this.#unusedBytes - this.#freeBytes;
  }

  /** Whether the process could go on with this ceiling. Memory that it has freed is returned first if necessary. */
  async allows(bytes: number): Promise<boolean> {
    if (this.#countedBytes() + LEFT_BYTES > bytes) await this.returnFreed();
    return this.#countedBytes() + LEFT_BYTES <= bytes;
  }

  /** Allows for the stacks of threads that the process has more than at its start. */
  setFurtherThreads(threads: number): void {
    this.#threadBytes = threads * STACK_BYTES;
    this.#apply();
  }

  set(bytes: number): void {
    this.#bytes = bytes;
    const wanted = this.#wantedLimit();
    const least = this.#unusedBytes + this.#freeBytes + this.#countedBytes() + LEFT_BYTES;
    this.#limitBytes = Math.max(wanted, Math.min(this.#limitBytes, least));
    this.#apply();
  }

  /** What the process has reserved, without what is known not to be resident. */
  #countedBytes(): number {
    const reserved = processMemory('self')?.reservedBytes ?? 0;
    return reserved - this.#unusedBytes - this.#freeBytes - this.#stackBytes - this.#threadBytes;
  }

  #wantedLimit(): number {
    return this.#unusedBytes + this.#freeBytes + this.#bytes;
  }

  #apply(): void {
    const wanted = BigInt(Math.floor(this.#limitBytes + this.#stackBytes + this.#threadBytes));
    this.#pair.setPointer(0, wanted < this.#most ? wanted : this.#most);
    this.#pair.setPointer(8, this.#most);
    setrlimit(RLIMIT_DATA, this.#pair.address);
  }

  /** Returns to the system the memory that the process has freed up to now. */
  async returnFreed(): Promise<void> {
    // A return that has already begun may miss the memory that was freed last.
    await this.#returned;
    this.#returned ??= returnFreedMemory()
      .then(() => this.#measureFree())
      // Without memory for the call there is nothing to do but to try again later.
      .catch(() => undefined)
      .finally(() => {
        this.#returned = undefined;
      });
    await this.#returned;
  }

  #comeDown(): void {
    if (this.#limitBytes > this.#wantedLimit()) this.set(this.#bytes);
    if (this.#returned !== undefined) return;
    if (this.#countedBytes() > this.#bytes * RETURN_FREED.fromShare) void this.returnFreed();
  }

  #watchFreed(): void {
    const share = this.#countedBytes() / this.#bytes;
    const keepsNothing = share > (this.#keepsNothing ? KEEP_NOTHING.untilShare : KEEP_NOTHING.fromShare);
    if (keepsNothing === this.#keepsNothing || this.#isSwitching) return;
    this.#isSwitching = true;
    keepFreedMemory(keepsNothing ? 0 : KEEP_FREED_MS)
      .then(() => {
        this.#keepsNothing = keepsNothing;
      })
      // Without memory for the call, it is tried again.
      .catch(() => undefined)
      .finally(() => {
        this.#isSwitching = false;
      });
  }

  /** Memory that is free and resident is not left out: the rest of a page that is in use. */
  async #measureFree(): Promise<void> {
    const more = (await freeHeapBytes()) - this.#freeAtStartBytes;
    const { reservedBytes, ownBytes } = processMemory('self')!;
    const notResident = reservedBytes - ownBytes - this.#unusedBytes - this.#stackBytes - this.#threadBytes;
    this.#freeBytes = Math.max(0, Math.min(more, notResident));
    this.set(this.#bytes);
  }
}

const getrlimit = libc.func('getrlimit', 'int', ['int', 'void *']) as unknown as Native<
  number,
  [number, Pointer]
>;
const setrlimit = libc.func('setrlimit', 'int', ['int', 'void *']) as unknown as Native<
  number,
  [number, Pointer]
>;
const usleep = libc.func('usleep', 'int', ['uint32_t']) as unknown as Native<number, [number]>;

/**
 * Reserves all stacks now: a stack that cannot be allocated later, when queries have used all memory, would
 * end the process.
 */
export async function reserveStacks(): Promise<void> {
  const owner = {};
  await Promise.all(
    Array.from({ length: RESIDENT_STACKS }, () => offLoop(owner, usleep, SLEEP_MICROSECONDS)),
  );
}
