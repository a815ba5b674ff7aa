/**
 * Each chunk wakes a decoder thread, which costs as much as decoding a small chunk. So chunks are joined up
 * to this size.
 */
const GATHERED_BYTES = 256 * 1024;

/** The same bytes in larger chunks; the source's chunks are freed once they are copied. */
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
 * Frees the memory of chunks that nobody reads any more, if they are the last user of it. Otherwise a
 * streaming upload would trigger the garbage collector again and again, which costs more than receiving the
 * upload.
 */
export function freeSpent(chunks: readonly Buffer[]): void {
  for (const { buffer, byteOffset, byteLength } of chunks) {
    const isLast = byteOffset + byteLength === buffer.byteLength;
    // The shared pool only holds buffers below half its size.
    const mayBePool = buffer.byteLength === Buffer.poolSize && byteLength < Buffer.poolSize >>> 1;
    if (isLast && !mayBePool && buffer instanceof ArrayBuffer) buffer.transfer(0);
  }
}
