/**
 * A Bloom filter as tasks build it (`KeySummary.bloom`): its number of bits is a power of two, and bit
 * numbers are taken modulo that number.
 */
type BloomFilter = Uint8Array;

const LEAST_BYTES = 2 ** 10;
/** A filter with a smaller fraction of set bits can be halved without losing much. */
const SPARSE = 0.15;
/** A filter with a larger fraction of set bits lets most keys pass. */
const FULL = 0.6;

/** Merges filters into one that contains the keys of all; undefined if it would let most keys pass. */
export function mergedFilters(filters: readonly BloomFilter[]): BloomFilter | undefined {
  const merged = new Uint8Array(Math.max(...filters.map(({ length }) => length)));
  // Repeating a smaller filter gives the same keys in more bits.
  for (const filter of filters)
    for (let at = 0; at < merged.length; at += filter.length) addBits(merged, filter, at);
  let filter: Uint8Array<ArrayBuffer> = merged;
  let share = shareOfBits(filter);
  while (share < SPARSE && filter.length > LEAST_BYTES) {
    filter = folded(filter);
    share = shareOfBits(filter);
  }
  return share > FULL ? undefined : filter;
}

/** Halves the number of bits of a filter; it still contains the same keys. */
function folded(filter: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  const half = filter.slice(0, filter.length / 2);
  addBits(half, filter.subarray(filter.length / 2), 0);
  return half;
}

function addBits(into: Uint8Array<ArrayBuffer>, filter: BloomFilter, at: number): void {
  // Bytes decoded from a message may start at any offset of their buffer.
  const { buffer, byteOffset, length } = filter.byteOffset % 4 === 0 ? filter : new Uint8Array(filter);
  const source = new Uint32Array(buffer, byteOffset, length / 4);
  const words = new Uint32Array(into.buffer, at, length / 4);
  for (let i = 0; i < words.length; i++) words[i]! |= source[i]!;
}

/** The fraction of set bits, from 0 to 1. */
function shareOfBits({ buffer, length }: Uint8Array<ArrayBuffer>): number {
  const words = new Uint32Array(buffer, 0, length / 4);
  let set = 0;
  for (let word of words) {
    word -= (word >>> 1) & 0x55555555;
    word = (word & 0x33333333) + ((word >>> 2) & 0x33333333);
    set += Math.imul((word + (word >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
  }
  return set / (length * 8);
}
