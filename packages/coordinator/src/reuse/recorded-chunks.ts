import type { ResultChunk } from '../request/statement-result.ts';

/** The memory for results that are being read. */
export interface RecordingMemory {
  /** Returns false if there is not enough left. */
  take(bytes: number): boolean;
  give(bytes: number): void;
}

export interface Recording {
  /** A result with more bytes is not recorded. */
  readonly maxBytes: number;
  readonly memory: RecordingMemory;
  /** Receives the copies once the last chunk has been read. */
  readonly onEnd: (copies: readonly ResultChunk[]) => void;
}

/**
 * The chunks of a result, of which copies are recorded as they pass. Nothing is recorded if the result fails, is not read
 * to its end, or is too large for the memory.
 */
export async function* recordedChunks(
  chunks: AsyncIterable<ResultChunk>,
  { maxBytes, memory, onEnd }: Recording,
): AsyncGenerator<ResultChunk, void> {
  let copies: ResultChunk[] | undefined = [];
  let taken = 0;
  try {
    for await (const chunk of chunks) {
      const bytes = chunk.bytes.byteLength;
      if (copies !== undefined && taken + bytes <= maxBytes && memory.take(bytes)) {
        taken += bytes;
        // The memory of a chunk is used again after its release.
        copies.push({ bytes: new Uint8Array(chunk.bytes), rows: chunk.rows });
      } else {
        copies = undefined;
        memory.give(taken);
        taken = 0;
      }
      yield chunk;
    }
  } finally {
    memory.give(taken);
  }
  if (copies !== undefined) onEnd(copies);
}
