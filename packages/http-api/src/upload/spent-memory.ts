/** Each piece of work for a decoder wakes a thread, which costs as much as decoding a small chunk. */
const GATHERED_BYTES = 256 * 1024;

/** The same bytes in larger chunks; those of the source are freed when they have been copied. */
export async function* gathered(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void> {
  let chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of source) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes < GATHERED_BYTES) continue;
    const whole = Buffer.concat(chunks);
    freeSpent(chunks);
    chunks = [];
    bytes = 0;
    yield whole;
    freeSpent([whole]);
  }
  if (bytes > 0) yield Buffer.concat(chunks);
}

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
