import koffi from 'koffi';
import type { BackingMemory } from '../protocol/payload-pool.ts';
import { libc, MADV_DONTNEED, MAP_FAILED, madvise, mmap, type Native, type Pointer } from './libc.ts';

const PROT_READ_WRITE = 3;
/** `MAP_PRIVATE | MAP_ANONYMOUS` on Linux: it counts as memory of the process. */
const MAP_OWN = 0x22;
const MADV_HUGEPAGE = 14;
const RLIMIT_MEMLOCK = 8;
const RLIM_INFINITY = 2n ** 64n - 1n;

const onRange = (name: string) =>
  libc.func(name, 'int', ['void *', 'size_t']) as unknown as Native<number, [Pointer, number]>;
const mlock = onRange('mlock');
const munlock = onRange('munlock');
const onLimit = (name: string) =>
  libc.func(name, 'int', ['int', 'void *']) as unknown as Native<number, [number, Uint8Array]>;
const getrlimit = onLimit('getrlimit');
const setrlimit = onLimit('setrlimit');

/** Memory of this process that the system does not page out, if it permits that. Linux only. */
export class RegisteredMemory implements BackingMemory {
  readonly bytes: number;
  /** Whether all of it is locked. Otherwise it is ordinary memory, which becomes resident as it is used. */
  readonly isLocked: boolean;
  /** How much the process may lock (RLIMIT_MEMLOCK), `Infinity` without a limit; a privileged one may lock more. */
  readonly limitBytes: number;
  readonly #address: Pointer;

  private constructor(address: Pointer, bytes: number) {
    this.#address = address;
    this.bytes = bytes;
    // Large pages take less time to find. Where the system has none, nothing changes.
    madvise(address, bytes, MADV_HUGEPAGE);
    this.limitBytes = raisedLimit();
    this.isLocked = mlock(address, bytes) === 0;
  }

  /** Undefined if there is no room for it in the address space, or if the system is not Linux. */
  static open(bytes: number): RegisteredMemory | undefined {
    if (process.platform !== 'linux' || bytes <= 0) return undefined;
    const address = BigInt(mmap(null, bytes, PROT_READ_WRITE, MAP_OWN, -1, 0));
    return address === MAP_FAILED ? undefined : new RegisteredMemory(address, bytes);
  }

  view(offset: number, bytes: number): ArrayBuffer {
    return koffi.view(this.#address + BigInt(offset), bytes);
  }

  /** Gives the memory back to the system. The addresses stay valid, because something may still read there. */
  close(): void {
    if (this.isLocked) munlock(this.#address, this.bytes);
    madvise(this.#address, this.bytes, MADV_DONTNEED);
  }
}

/** Raises the limit of the process as far as it may, which is the hard limit. */
function raisedLimit(): number {
  const limits = new BigUint64Array(2);
  const bytes = new Uint8Array(limits.buffer);
  if (getrlimit(RLIMIT_MEMLOCK, bytes) !== 0) return 0;
  const [, most] = limits as unknown as [bigint, bigint];
  limits[0] = most;
  setrlimit(RLIMIT_MEMLOCK, bytes);
  return most === RLIM_INFINITY ? Number.POSITIVE_INFINITY : Number(most);
}
