import { returnFreedMemory, unmapFreedMemory } from '../native/allocator.ts';
import {
  libc,
  type Native,
  observeFurtherStacks,
  offLoop,
  type Pointer,
  RESIDENT_STACKS,
} from '../native/library.ts';
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
 * resident at the start is added to the limit. Later the process reserves hardly more than it uses, because
 * freed memory is unmapped.
 * The ceiling never falls below what the process has reserved: then every allocation would fail, also those of V8, which
 * would end the process. It falls with what the process has, down to the wanted value.
 */
export class MemoryCeiling {
  readonly #pair = new NativeBlock(16);
  /** Only a privileged process may raise it. */
  readonly #most: bigint;
  readonly #unusedBytes: number;
  #bytes = 0;
  /** The ceiling in effect: above `#bytes` while the process has too much. */
  #effectiveBytes = 0;
  #stackBytes = 0;
  /** Resolves when the last return of freed memory has ended. */
  #returned: Promise<void> | undefined;

  private constructor(most: bigint, unusedBytes: number) {
    this.#most = most;
    this.#unusedBytes = unusedBytes;
    observeFurtherStacks((bytes) => {
      this.#stackBytes = bytes;
      this.#apply();
    });
    setInterval(() => this.#comeDown(), RETURN_FREED.everyMs).unref();
  }

  /**
   * Returns undefined if the system has no such limit.
   * @param heapReserveBytes memory that is reserved for V8's heap and not resident; queries cannot get it
   */
  static async prepare(heapReserveBytes: number): Promise<MemoryCeiling | undefined> {
    unmapFreedMemory();
    await reserveStacks();
    const memory = processMemory('self');
    if (memory === undefined) return undefined;
    const pair = new NativeBlock(16);
    if (getrlimit(RLIMIT_DATA, pair.address) !== 0) return undefined;
    return new MemoryCeiling(pair.pointerAt(8), memory.reservedBytes - memory.ownBytes - heapReserveBytes);
  }

  /** Whether the process uses nearly all of its memory, or did a moment ago: freeing memory takes a while. */
  get isNear(): boolean {
    return (processMemory('self')?.ownBytes ?? 0) > this.#bytes * NEAR_SHARE;
  }

  /** Whether the process could go on with this ceiling. Memory that it has freed is returned first if necessary. */
  async allows(bytes: number): Promise<boolean> {
    if (this.#neededBytes() > bytes) await this.returnFreed();
    return this.#neededBytes() <= bytes;
  }

  set(bytes: number): void {
    this.#bytes = bytes;
    const least = bytes < this.#effectiveBytes ? Math.min(this.#effectiveBytes, this.#neededBytes()) : 0;
    this.#effectiveBytes = Math.max(bytes, least);
    this.#apply();
  }

  /** The lowest ceiling with which the process could go on: what counts of its memory, and a rest. */
  #neededBytes(): number {
    const reserved = processMemory('self')?.reservedBytes ?? 0;
    return reserved - this.#unusedBytes - this.#stackBytes + LEFT_BYTES;
  }

  #apply(): void {
    const wanted = BigInt(Math.floor(this.#unusedBytes + this.#effectiveBytes + this.#stackBytes));
    this.#pair.setPointer(0, wanted < this.#most ? wanted : this.#most);
    this.#pair.setPointer(8, this.#most);
    setrlimit(RLIMIT_DATA, this.#pair.address);
  }

  /** Returns to the system the memory that the process has freed up to now. */
  async returnFreed(): Promise<void> {
    // A return that has already begun may miss the memory that was freed last.
    await this.#returned;
    this.#returned ??= returnFreedMemory()
      // Without memory for the call there is nothing to do but to try again later.
      .catch(() => undefined)
      .finally(() => {
        this.#returned = undefined;
      });
    await this.#returned;
  }

  #comeDown(): void {
    if (this.#effectiveBytes > this.#bytes) this.set(this.#bytes);
    if (this.#returned !== undefined) return;
    if ((processMemory('self')?.ownBytes ?? 0) > this.#bytes * RETURN_FREED.fromShare)
      void this.returnFreed();
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
async function reserveStacks(): Promise<void> {
  const owner = {};
  await Promise.all(
    Array.from({ length: RESIDENT_STACKS }, () => offLoop(owner, usleep, SLEEP_MICROSECONDS)),
  );
}
