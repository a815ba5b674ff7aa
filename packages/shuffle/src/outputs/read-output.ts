import type { BlockRange } from '../shuffle.ts';
import type { KeptOutput } from './kept-outputs.ts';
import type { ReadPart } from './read-part.ts';

/**
 * The rows of a kept output; see `OutputRows.read` and `follow`. The iteration fails if the output is released meanwhile.
 * @throws CorruptSegment
 */
export async function* readOutput(
  { rows, released }: KeptOutput,
  { follow, ...range }: BlockRange,
  signal: AbortSignal,
): AsyncGenerator<ReadPart> {
  const any = AbortSignal.any([signal, released]);
  try {
    const parts = follow === undefined ? rows.read(range) : rows.follow(follow.firstBatch, any);
    for await (const part of parts) {
      if (any.aborted) throw any.reason;
      yield part;
    }
  } catch (error) {
    // Releasing the output has closed its file.
    throw released.aborted ? released.reason : error;
  }
}
