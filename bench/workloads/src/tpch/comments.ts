import type { TextColumn } from '../parquet/column.ts';
import { TextBuilder } from '../parquet/text-builder.ts';
import { RandomStream } from './random-stream.ts';
import { lengthsAbout, type Making, type RowRange } from './row-maker.ts';
import { TextPool } from './text-pool.ts';

/** The offsets of comments in the text pool. */
interface Pieces {
  readonly offsets: Int32Array;
  readonly lengths: Uint8Array;
}

/** The number of pieces that are prefetched from memory at the same time. */
const PIECES_AT_ONCE = 64;

/**
 * Chooses a comment for each row by a stream of random numbers of its own. If `texts` is given, row `i` gets
 * `texts[i]` comments; the stream has numbers for `mostTexts` of them.
 */
export function comments(
  { textPool }: Making,
  range: RowRange,
  seed: number,
  average: number,
  mostTexts = 1,
  texts: Uint8Array = new Uint8Array(range.count).fill(1),
): TextColumn {
  const pieces = drawPieces(new RandomStream(seed, 2 * mostTexts, range.first), average, mostTexts, texts);
  const { offsets, lengths } = pieces;
  const bytes = lengths.reduce((sum, length) => sum + length, 0);
  const builder = new TextBuilder(bytes + TextBuilder.overhead(lengths.length));
  for (let start = 0; start < lengths.length; start += PIECES_AT_ONCE) {
    const end = Math.min(start + PIECES_AT_ONCE, lengths.length);
    // The value is stored where a length is written later; otherwise the engine would optimise the reads away.
    builder.bytes[builder.end] = touch(textPool, pieces, start, end);
    for (let i = start; i < end; i++) {
      const length = lengths[i]!;
      builder.begin(length);
      builder.copy(textPool.view, offsets[i]!, length);
      builder.finish();
    }
  }
  return builder.column();
}

function drawPieces(stream: RandomStream, average: number, mostTexts: number, texts: Uint8Array): Pieces {
  const count = texts.reduce((sum, wanted) => sum + wanted, 0);
  const offsets = new Int32Array(count);
  const lengths = new Uint8Array(count);
  const [least, greatest] = lengthsAbout(average);
  let end = 0;
  for (const wanted of texts) {
    for (let i = 0; i < wanted; i++) {
      offsets[end] = stream.integer(0, TextPool.size - greatest);
      lengths[end++] = stream.integer(least, greatest);
    }
    stream.skip(2 * (mostTexts - wanted));
  }
  return { offsets, lengths };
}

/** Prefetches pieces: it reads a byte at both ends of each, so that the memory accesses overlap. */
function touch({ view }: TextPool, { offsets, lengths }: Pieces, start: number, end: number): number {
  let read = 0;
  for (let i = start; i < end; i++) {
    const offset = offsets[i]!;
    read ^= view.getUint8(offset) ^ view.getUint8(offset + lengths[i]!);
  }
  return read;
}
