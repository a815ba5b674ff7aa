import { isUtf8 } from 'node:buffer';

/**
 * Whether every value is valid UTF-8, given all of them concatenated and their bounds. The kernel takes text as it
 * comes and fails much later, in unrelated places, on text that is not.
 */
export function checkText(bytes: Uint8Array, offsets: Int32Array): boolean {
  const last = offsets[offsets.length - 1] ?? 0;
  if (!isUtf8(bytes.subarray(offsets[0], last))) return false;
  // The whole is valid; its parts are too unless one begins within a character.
  for (let i = 0; i < offsets.length; i++) {
    const at = offsets[i]!;
    if (at < last && (bytes[at]! & 0xc0) === 0x80) return false;
  }
  return true;
}
