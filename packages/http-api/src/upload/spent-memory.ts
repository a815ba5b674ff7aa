/**
 * Frees the memory under chunks that were the last to be read of it, those that reach to its end. Left to the collector,
 * the memory of an upload that streams through makes it run again and again for the sake of its size, which costs more
 * than receiving.
 */
export function freeSpent(chunks: readonly Buffer[]): void {
  for (const { buffer, byteOffset, byteLength } of chunks) {
    const isLast = byteOffset + byteLength === buffer.byteLength;
    // The pool is for buffers below half its size.
    const mayBePool = buffer.byteLength === Buffer.poolSize && byteLength < Buffer.poolSize >>> 1;
    if (isLast && !mayBePool && buffer instanceof ArrayBuffer) buffer.transfer(0);
  }
}
