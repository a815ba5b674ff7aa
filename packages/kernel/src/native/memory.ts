import koffi from 'koffi';
import { LONG_TEXT_LENGTH, type LongText } from '../protocol/long-text.ts';
import { libc, type Native, type Pointer } from './libc.ts';
import { memcpy } from './library.ts';

/**
 * A block of memory with a stable address, for out-parameters and C structs. Small typed arrays may live on
 * V8's moving heap; `allocUnsafeSlow` is always a separate off-heap allocation.
 */
export class NativeBlock {
  readonly bytes: Buffer;
  readonly address: Pointer;

  constructor(size: number) {
    this.bytes = Buffer.allocUnsafeSlow(size).fill(0);
    this.address = koffi.address(this.bytes);
  }

  pointerAt(offset: number): Pointer {
    return this.bytes.readBigUInt64LE(offset);
  }
  setPointer(offset: number, value: Pointer): void {
    this.bytes.writeBigUInt64LE(value, offset);
  }
  at(offset: number): Pointer {
    return this.address + BigInt(offset);
  }
}

/** Smaller pieces come from memory that the process has already. */
const LARGE_BYTES = 64 << 10;
/** What V8 may take meanwhile. */
const SLACK_BYTES = 4 << 20;

/**
 * Checks that the process can reserve this many more bytes. Without the check, a buffer that V8 cannot allocate would first
 * cause full garbage collections.
 * @throws RangeError
 */
export function requireMemory(bytes: number): void {
  if (bytes < LARGE_BYTES) return;
  // Its pages are never touched.
  const probe = malloc(bytes + SLACK_BYTES);
  if (!probe) throw new RangeError('Array buffer allocation failed');
  free(probe);
}

/**
 * A buffer with undefined content, apart from V8's heap.
 * @throws RangeError if there is no memory for it
 */
export function allocate(bytes: number): Buffer<ArrayBuffer> {
  requireMemory(bytes);
  return Buffer.allocUnsafeSlow(bytes);
}

const malloc = libc.func('malloc', 'void *', ['size_t']) as unknown as Native<Pointer | null, [number]>;
const free = libc.func('free', 'void', ['void *']) as unknown as Native<void, [Pointer]>;

/**
 * Copies `size` bytes at a native address into a new buffer.
 * @throws RangeError if there is no memory for it
 */
export function copyOut(from: Pointer, size: number): Buffer {
  const bytes = allocate(size);
  if (size > 0) memcpy(bytes, from, size);
  return bytes;
}

/** Reads a NUL-terminated UTF-8 string that remains the library's. */
export const cString = (pointer: Pointer): string => (pointer === 0n ? '' : koffi.decode.string(pointer));

const strlen = libc.func('strlen', 'size_t', ['void *']) as unknown as Native<number, [Pointer]>;

/** How much of the beginning and of the end of an error text is kept. */
const KEPT_BYTES = 32 << 10;

/**
 * Reads the text of an error like `cString`; a long one stays UTF-8. It may contain a value of 100 MB, and needs a multiple of
 * that on its way to the client, who sees a few lines. The middle of such a text is left out, so that the rest is still valid JSON
 * if it was.
 * @throws RangeError if there is no memory for a long one
 */
export function errorTextAt(pointer: Pointer): string | LongText {
  const length = Number(strlen(pointer));
  if (length < LONG_TEXT_LENGTH) return cString(pointer);
  if (length <= 2 * KEPT_BYTES) return { utf8: copyOut(pointer, length) };
  const beginning = copyOut(pointer, KEPT_BYTES);
  const end = copyOut(pointer + BigInt(length - KEPT_BYTES), KEPT_BYTES);
  const cut = beginning.findLastIndex(
    (byte, i) => isPlain(byte) && !beginning.subarray(Math.max(0, i - LONGEST_ESCAPE), i).includes(BACKSLASH),
  );
  return {
    utf8: Buffer.concat([beginning.subarray(0, cut + 1), OMITTED, end.subarray(end.findIndex(isPlain))]),
  };
}

const OMITTED = Buffer.from(' … ');
/** `\u001f`, as JSON writes control characters. */
const LONGEST_ESCAPE = 6;

/** Whether a byte is a printable character of ASCII that means itself in JSON. */
const isPlain = (byte: number): boolean =>
  /[ -~]/.test(String.fromCharCode(byte)) && byte !== QUOTE && byte !== BACKSLASH;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** Memory that holds a pointer, for functions that free the target of a pointer variable. */
export function slotOf(pointer: Pointer): NativeBlock {
  const slot = new NativeBlock(8);
  slot.setPointer(0, pointer);
  return slot;
}
