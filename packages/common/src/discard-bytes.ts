/** Shorter buffers are left to the garbage collector. */
const LEAST_DISCARDED_BYTES = 16 * 1024;

/**
 * Frees memory at once that is no longer read, unless it is a part of a larger buffer. A stream of large
 * buffers would otherwise trigger the garbage collector by their size alone.
 */
export function discardBytes({ buffer, byteLength }: Uint8Array): void {
  const small = byteLength < LEAST_DISCARDED_BYTES || buffer.byteLength > byteLength + LEAST_DISCARDED_BYTES;
  if (!small && buffer instanceof ArrayBuffer && !buffer.detached) buffer.transfer(0);
}
