import koffi from 'koffi';

export type Pointer = bigint;

export type Native<R, A extends unknown[]> = ((...args: A) => R) & {
  async: (...args: [...A, (error: unknown, result: R) => void]) => void;
};

/** The stack size of a native call: the kernel's binder recurses deeply on deeply nested expressions. */
export const STACK_BYTES = 8 * 1024 * 1024;
export const CALL_HEAP_BYTES = 1024 * 1024;
/** This many concurrent calls use permanent stacks; for further calls, a stack is created and released. */
export const RESIDENT_STACKS = 32;

koffi.config({
  sync_stack_size: STACK_BYTES,
  async_stack_size: STACK_BYTES,
  async_heap_size: CALL_HEAP_BYTES,
  resident_async_pools: RESIDENT_STACKS,
  max_async_calls: 4096,
});

/** The C library that the process has loaded already. */
export const libc = koffi.load(null);

/** The result of `mmap` when it fails. */
export const MAP_FAILED = -1n;
export const MADV_DONTNEED = 4;

export const mmap = libc.func('mmap', 'int64_t', [
  'void *',
  'size_t',
  'int',
  'int',
  'int',
  'int64_t',
]) as unknown as Native<number | bigint, [null, number, number, number, number, number]>;
export const madvise = libc.func('madvise', 'int', ['void *', 'size_t', 'int']) as unknown as Native<
  number,
  [Pointer, number, number]
>;

/** Returns freed memory of the library's heaps to the system, except for the given number of bytes at their ends. Only glibc has it. */
export const mallocTrim = optional(
  () => libc.func('malloc_trim', 'int', ['size_t']) as unknown as Native<number, [number]>,
);

/** Undefined if the library does not have what is looked for. */
export function optional<T>(find: () => T): T | undefined {
  try {
    return find();
  } catch {
    return undefined;
  }
}
