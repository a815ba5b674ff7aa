import { crc32c } from '@node-rs/crc32';
import type { HybridHeader } from '../header/hybrid-header.ts';

/** One column in one granule, with the checksum of its bytes. */
export interface Chunk {
  readonly column: number;
  readonly granule: number;
  readonly offset: number;
  readonly bytes: number;
  readonly crc32c: number;
}

/** A range of a tablet to fetch at once, and the chunks in it, ordered by offset. */
export interface FetchRange {
  readonly offset: number;
  readonly bytes: number;
  readonly chunks: readonly Chunk[];
}

export interface RangeLimits {
  /** Gaps up to this size may be fetched too. */
  readonly gapBytes: number;
  /** The limit of additionally fetched bytes, as a fraction of the needed ones. */
  readonly waste: number;
  /** The maximum size of a range, unless a single chunk is larger. */
  readonly rangeBytes: number;
}

const LIMITS: RangeLimits = { gapBytes: 64 * 1024, waste: 0.1, rangeBytes: 16 * 1024 * 1024 };

/**
 * The chunks of columns in granules (by default all granules), ordered by offset. Columns that the tablet does
 * not store have none.
 */
export function chunksOf(
  header: HybridHeader,
  columnIds: readonly number[],
  granules: readonly number[] = header.granuleRows.map((_, i) => i),
): Chunk[] {
  const wanted = new Set(columnIds);
  return header.columns
    .filter((column) => wanted.has(column.id))
    .flatMap((column) =>
      granules.map((granule) => {
        const { offset, bytes, crc32c: sum } = column.granules[granule]!;
        return { column: column.id, granule, offset, bytes, crc32c: sum };
      }),
    )
    .sort((a, b) => a.offset - b.offset);
}

/**
 * The ranges that cover the chunks, which must be ordered by offset and not overlap; chunks that are already
 * present may be missing.
 */
export function rangesOver(chunks: readonly Chunk[], limits: RangeLimits = LIMITS): FetchRange[] {
  const bridged = bridgedGaps(chunks, limits);
  const ranges: { offset: number; bytes: number; chunks: Chunk[] }[] = [];
  for (const [i, chunk] of chunks.entries()) {
    const range = ranges.at(-1);
    const end = chunk.offset + chunk.bytes;
    if (range !== undefined && bridged.has(i) && end - range.offset <= limits.rangeBytes) {
      range.bytes = end - range.offset;
      range.chunks.push(chunk);
    } else {
      ranges.push({ offset: chunk.offset, bytes: chunk.bytes, chunks: [chunk] });
    }
  }
  return ranges;
}

/**
 * The numbers of the chunks that are joined to the previous one: the smallest gaps first, while the overhead
 * stays small.
 */
function bridgedGaps(chunks: readonly Chunk[], { gapBytes, waste }: RangeLimits): ReadonlySet<number> {
  let allowance = chunks.reduce((sum, chunk) => sum + chunk.bytes, 0) * waste;
  const gaps = chunks.slice(1).map((chunk, i) => {
    const before = chunks[i]!;
    return { chunk: i + 1, bytes: chunk.offset - before.offset - before.bytes };
  });
  const bridged = new Set<number>();
  for (const gap of gaps.sort((a, b) => a.bytes - b.bytes)) {
    allowance -= gap.bytes;
    if (gap.bytes > gapBytes || allowance < 0) break;
    bridged.add(gap.chunk);
  }
  return bridged;
}

/** The first chunk whose bytes do not match their checksum; undefined if all match. */
export function damagedChunk(range: FetchRange, bytes: Uint8Array): Chunk | undefined {
  return range.chunks.find((chunk) => {
    const from = chunk.offset - range.offset;
    const own = bytes.subarray(from, from + chunk.bytes);
    return own.length !== chunk.bytes || crc32c(own) !== chunk.crc32c;
  });
}
