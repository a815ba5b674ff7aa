import { isUtf8 } from 'node:buffer';

/**
 * Whether every value is valid UTF-8, given their concatenation and their bounds. The kernel trusts text from
 * files and fails much later, in unrelated places, if it is invalid.
 */
export function checkText(bytes: Uint8Array, offsets: Int32Array): boolean {
  const last = offsets[offsets.length - 1] ?? 0;
  if (!isUtf8(bytes.subarray(offsets[0], last))) return false;
  // The concatenation is valid, so each value is valid unless one begins within a character.
  for (let i = 0; i < offsets.length; i++) {
    const at = offsets[i]!;
    if (at < last && (bytes[at]! & 0xc0) === 0x80) return false;
  }
  return true;
}
