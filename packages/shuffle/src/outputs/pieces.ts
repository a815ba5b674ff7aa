import { crc32c } from '@node-rs/crc32';
import { CorruptSegment, type Segment } from './segment-store.ts';

/** An encapsulated Arrow RecordBatch message in a segment. */
export interface Piece {
  /** Where it begins in the segment. */
  readonly offset: number;
  readonly length: number;
  /** Position of its first row in the batch. */
  readonly firstRow: number;
  readonly rows: number;
  readonly crc32c: number;
}

export const checksumOf = (bytes: Uint8Array, { offset, length }: Pick<Piece, 'offset' | 'length'>): number =>
  crc32c(bytes.subarray(offset, offset + length));

/**
 * Copies pieces that follow each other.
 * @param into has their length
 * @throws CorruptSegment when their file does not have what was written to it
 */
export async function readPieces(
  segment: Segment,
  pieces: readonly Piece[],
  into: Uint8Array,
): Promise<Uint8Array> {
  const { offset } = pieces[0]!;
  if (segment.kind === 'memory') {
    into.set(segment.bytes.subarray(offset, offset + into.length));
    return into;
  }
  if (!(await segment.file.read(into, segment.offset + offset))) throw new CorruptSegment();
  for (const piece of pieces) {
    const place = { offset: piece.offset - offset, length: piece.length };
    if (checksumOf(into, place) !== piece.crc32c) throw new CorruptSegment();
  }
  return into;
}
