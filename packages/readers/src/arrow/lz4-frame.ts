const MAGIC = 0x184d2204;

/**
 * Unpacks one LZ4 frame of a known length. Its blocks may refer to earlier ones, which the block functions of
 * the libraries do not support; with a single output buffer this is simple. Checksums, which Arrow's writers
 * omit, are ignored. Throws for malformed input; never writes more than `length` bytes.
 */
export function unpackLz4Frame(source: Uint8Array, length: number): Uint8Array {
  const view = new DataView(source.buffer, source.byteOffset, source.byteLength);
  if (view.getUint32(0, true) !== MAGIC) throw new Error('not an LZ4 frame');
  const flags = view.getUint8(4);
  if (flags >> 6 !== 1) throw new Error('unknown version of the LZ4 frame format');
  const blockChecksum = flags & 0x10 ? 4 : 0;
  let at = 7 + (flags & 0x08 ? 8 : 0) + (flags & 0x01 ? 4 : 0);
  const out = new Uint8Array(length);
  let filled = 0;
  for (;;) {
    const header = view.getUint32(at, true);
    at += 4;
    if (header === 0) break;
    const size = header & 0x7fffffff;
    if (size > source.length - at) throw new Error('a block reaches beyond the frame');
    const block = source.subarray(at, at + size);
    if (header >>> 31) {
      out.set(block, filled);
      filled += size;
    } else {
      filled = unpackBlock(block, out, filled);
    }
    at += size + blockChecksum;
  }
  return out.subarray(0, filled);
}

function unpackBlock(source: Uint8Array, out: Uint8Array, start: number): number {
  let at = 0;
  let filled = start;
  const extended = (nibble: number) => {
    let count = nibble;
    if (nibble < 15) return count;
    for (;;) {
      const byte = source[at++];
      if (byte === undefined) throw new Error('a block is truncated');
      count += byte;
      if (byte !== 255) return count;
    }
  };
  while (at < source.length) {
    const token = source[at++]!;
    const literals = extended(token >> 4);
    if (literals > source.length - at || literals > out.length - filled) throw new Error('literals overflow');
    out.set(source.subarray(at, at + literals), filled);
    at += literals;
    filled += literals;
    if (at === source.length) return filled;
    const distance = source[at]! | (source[at + 1]! << 8);
    at += 2;
    if (at > source.length) throw new Error('a block is truncated');
    const size = extended(token & 15) + 4;
    if (distance === 0 || distance > filled || size > out.length - filled)
      throw new Error('a match overflows');
    if (distance >= size) out.copyWithin(filled, filled - distance, filled - distance + size);
    else for (let i = 0; i < size; i++) out[filled + i] = out[filled + i - distance]!;
    filled += size;
  }
  return filled;
}
