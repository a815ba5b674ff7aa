import type { ResultChunk } from '../request/statement-result.ts';

/**
 * The chunks of a result, of which a copy is passed to `onEnd` when the last one was read. Nothing is passed if the result
 * fails, is not read to its end, or has more than `maxBytes` bytes.
 */
export async function* recordedChunks(
  chunks: AsyncIterable<ResultChunk>,
  maxBytes: number,
  onEnd: (copies: readonly ResultChunk[]) => void,
): AsyncGenerator<ResultChunk, void> {
  let copies: ResultChunk[] | undefined = [];
  let bytes = 0;
  for await (const chunk of chunks) {
    bytes += chunk.bytes.byteLength;
    if (bytes > maxBytes) copies = undefined;
    // The memory of a chunk is used again after its release.
    copies?.push({ bytes: new Uint8Array(chunk.bytes), rows: chunk.rows });
    yield chunk;
  }
  if (copies !== undefined) onEnd(copies);
}
