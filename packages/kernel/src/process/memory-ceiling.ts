import { readFileSync } from 'node:fs';
import {
  libc,
  MAX_FURTHER_STACK_BYTES,
  type Native,
  observeFurtherStacks,
  offLoop,
  type Pointer,
  RESIDENT_STACKS,
} from '../native/library.ts';
import { NativeBlock } from '../native/memory.ts';
import { ownMemory, reservedMemory } from '../own-memory.ts';

const RLIMIT_DATA = 2;
/** While all of them sleep, each has a thread and a stack of its own. */
const SLEEP_MICROSECONDS = 50_000;

/**
 * Has the operating system refuse this process more than `bytes` of memory of its own: then the allocation that asks for too
 * much fails, inside the query that asks, whether the kernel counts it or not. Linux only; elsewhere it does nothing.
 */
export async function setMemoryCeiling(bytes: number): Promise<void> {
  if (process.platform !== 'linux') return;
  await reserveStacks();
  // The limit counts what is reserved, of which little is in memory yet: mostly stacks.
  const limit = Math.floor(reservedMemory('self') + Math.max(0, bytes - ownMemory('self')));
  const pair = new NativeBlock(16);
  const set = (furtherStackBytes: number) => {
    pair.setPointer(0, BigInt(limit + furtherStackBytes));
    pair.setPointer(8, BigInt(limit + MAX_FURTHER_STACK_BYTES));
    if (setrlimit(RLIMIT_DATA, pair.address) !== 0) {
      throw new Error('The memory ceiling of the kernel process could not be set');
    }
  };
  set(0);
  observeFurtherStacks(set);
}

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
