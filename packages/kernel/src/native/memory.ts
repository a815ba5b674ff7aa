import koffi from 'koffi';
import { memcpy, type Pointer } from './library.ts';

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

/** Copies `size` bytes at a native address into a new buffer. */
export function copyOut(from: Pointer, size: number): Buffer {
  const bytes = Buffer.allocUnsafeSlow(size);
  if (size > 0) memcpy(bytes, from, size);
  return bytes;
}

/** Reads a NUL-terminated UTF-8 string that remains the library's. */
export const cString = (pointer: Pointer): string => (pointer === 0n ? '' : koffi.decode.string(pointer));

/** Memory that holds a pointer, for functions that free the target of a pointer variable. */
export function slotOf(pointer: Pointer): NativeBlock {
  const slot = new NativeBlock(8);
  slot.setPointer(0, pointer);
  return slot;
}
