import type { BodyBuffer } from './body.ts';

/** Bits `from` … `to` of a bitmap, shifted to begin at bit 0. Bits beyond them are zero. */
export function readBits(buffer: BodyBuffer, from: number, to: number): Uint8Array<ArrayBuffer> {
  const count = to - from;
  const first = Math.floor(from / 8);
  const bytes = buffer.read(first, Math.ceil(to / 8));
  const shift = from % 8;
  const size = (count + 7) >> 3;
  if (shift > 0) {
    for (let i = 0; i < size; i++) bytes[i] = (bytes[i]! >> shift) | ((bytes[i + 1] ?? 0) << (8 - shift));
  }
  const out = bytes.length === size ? bytes : bytes.slice(0, size);
  if (count % 8 > 0) out[size - 1]! &= (1 << (count % 8)) - 1;
  return out;
}

export function countZeros(bits: Uint8Array, count: number): number {
  let ones = 0;
  for (const byte of bits) {
    const pairs = byte - ((byte >> 1) & 0x55);
    const nibbles = (pairs & 0x33) + ((pairs >> 2) & 0x33);
    ones += (nibbles + (nibbles >> 4)) & 0x0f;
  }
  return count - ones;
}

export function isSet(bits: Uint8Array | undefined, index: number): boolean {
  return bits === undefined || (bits[index >> 3]! & (1 << (index & 7))) !== 0;
}
