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
const ADJUST_MS = 25;
/** Above this share of the ceiling, what the allocator keeps of freed memory is given back, at most so often. */
const TRIM = { fromShare: 0.5, everyMs: 1_000 };

/**
 * Has the operating system refuse this process more than `bytes` of memory of its own: then the allocation that asks for too
 * much fails, inside the query that asks, whether the kernel counts it or not. Linux only; elsewhere it does nothing.
 *
 * What can be limited is what is reserved, and more is reserved than is in memory: stacks, and what the allocator keeps for
 * later. So the limit is always what is reserved now and what is left of `bytes`.
 */
export async function setMemoryCeiling(bytes: number): Promise<void> {
  await reserveStacks();
  if (processMemory('self') === undefined) return;
  const pair = new NativeBlock(16);
  if (getrlimit(RLIMIT_DATA, pair.address) !== 0) return;
  // Only a privileged process may raise it.
  const most = pair.pointerAt(8);
  let limit = 0;
  let stackBytes = 0;
  let adjustedStackBytes = 0;
  const set = () => {
    const wanted = BigInt(limit + Math.max(0, stackBytes - adjustedStackBytes));
    pair.setPointer(0, wanted < most ? wanted : most);
    pair.setPointer(8, most);
    setrlimit(RLIMIT_DATA, pair.address);
  };
  const adjust = () => {
    const memory = processMemory('self');
    if (memory === undefined) return;
    if (memory.ownBytes > bytes * TRIM.fromShare) trim();
    limit = memory.reservedBytes + Math.max(0, Math.floor(bytes - memory.ownBytes));
    adjustedStackBytes = stackBytes;
    set();
  };
  observeFurtherStacks((further) => {
    stackBytes = further;
    set();
  });
  adjust();
  setInterval(adjust, ADJUST_MS).unref();
}

let trimmedAt = 0;
let isTrimming = false;

function trim(): void {
  if (isTrimming || performance.now() - trimmedAt < TRIM.everyMs) return;
  isTrimming = true;
  void offLoop({}, mallocTrim, 0).finally(() => {
    isTrimming = false;
    trimmedAt = performance.now();
  });
}

const mallocTrim = libc.func('malloc_trim', 'int', ['size_t']) as unknown as Native<number, [number]>;
const getrlimit = libc.func('getrlimit', 'int', ['int', 'void *']) as unknown as Native<
  number,
  [number, Pointer]
>;
const setrlimit = libc.func('setrlimit', 'int', ['int', 'void *']) as unknown as Native<
  number,
  [number, Pointer]
>;
const usleep = libc.func('usleep', 'int', ['uint32_t']) as unknown as Native<number, [number]>;

/** A stack that is asked for later, when queries have taken everything, would end the process. */
async function reserveStacks(): Promise<void> {
  const owner = {};
  await Promise.all(
    Array.from({ length: RESIDENT_STACKS }, () => offLoop(owner, usleep, SLEEP_MICROSECONDS)),
  );
}
