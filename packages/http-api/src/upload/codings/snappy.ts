import { uncompressSync } from 'snappy';
import { ByteCursor } from './byte-cursor.ts';
import { CorruptStream, type Decoder } from './corrupt-stream.ts';
import { withFirstBytes } from './first-bytes.ts';
import { decodeRawSnappy } from './snappy-raw.ts';

const POLYNOMIAL = 0x82f63b78;
const SLICES = 8;

/** `TABLES[k][b]`: the checksum of byte b followed by k zero bytes (slicing by 8). */
const TABLES = buildTables();

/** CRC-32C (Castagnoli) as defined in RFC 3720. */
export function crc32c(data: Buffer): number {
  const [t0, t1, t2, t3, t4, t5, t6, t7] = TABLES;
  let crc = 0xffffffff;
  let at = 0;
  for (const end = data.length - SLICES; at <= end; at += SLICES) {
    crc ^= data[at]! | (data[at + 1]! << 8) | (data[at + 2]! << 16) | (data[at + 3]! << 24);
    crc =
      t7[crc & 0xff]! ^
      t6[(crc >>> 8) & 0xff]! ^
      t5[(crc >>> 16) & 0xff]! ^
      t4[crc >>> 24]! ^
      t3[data[at + 4]!]! ^
      t2[data[at + 5]!]! ^
      t1[data[at + 6]!]! ^
      t0[data[at + 7]!]!;
  }
  for (; at < data.length; at++) crc = (crc >>> 8) ^ t0[(crc ^ data[at]!) & 0xff]!;
  return ~crc >>> 0;
}

type Tables = [T, T, T, T, T, T, T, T];
type T = Uint32Array;

function buildTables(): Tables {
  const t0 = Uint32Array.from({ length: 256 }, (_, byte) => {
    let crc = byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc & 1) !== 0 ? (crc >>> 1) ^ POLYNOMIAL : crc >>> 1;
    return crc;
  });
  const followedByZero = (table: T): T => table.map((crc) => (crc >>> 8) ^ t0[crc & 0xff]!);
  const t1 = followedByZero(t0);
  const t2 = followedByZero(t1);
  const t3 = followedByZero(t2);
  const t4 = followedByZero(t3);
  const t5 = followedByZero(t4);
  const t6 = followedByZero(t5);
  return [t0, t1, t2, t3, t4, t5, t6, followedByZero(t6)];
}

const STREAM_IDENTIFIER = Buffer.from('\xff\x06\x00\x00sNaPpY', 'latin1');
const CHUNK_BYTES = 65536;
/** The maximum size of 64 KiB of incompressible data, with the checksum before it. */
const MAX_COMPRESSED_CHUNK_BYTES = 32 + CHUNK_BYTES + Math.floor(CHUNK_BYTES / 6) + 4;
const [COMPRESSED, UNCOMPRESSED, FIRST_SKIPPABLE, IDENTIFIER] = [0x00, 0x01, 0x80, 0xff];

/** Decodes the framing format if the content begins with a stream identifier, otherwise one raw block. */
export const decodeSnappy: Decoder = async function* (source) {
  const { first, all } = await withFirstBytes(source, STREAM_IDENTIFIER.length);
  // Some encoders of the framing format write nothing for empty content.
  if (first.length === 0) return;
  yield* first.equals(STREAM_IDENTIFIER) ? decodeFramed(all) : decodeRawSnappy(all);
};

/** Decodes the format of google/snappy's framing_format.txt. Several streams may be concatenated. */
async function* decodeFramed(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void> {
  const cursor = new ByteCursor(source);
  for (;;) {
    const header = await cursor.takeOrEnd(4);
    if (header === undefined) return;
    const type = header[0]!;
    const size = header.readUIntLE(1, 3);
    if (type === COMPRESSED || type === UNCOMPRESSED) {
      if (size < 4 || size > MAX_COMPRESSED_CHUNK_BYTES)
        throw new CorruptStream(`a chunk has an impossible size of ${size} bytes`);
      yield decodeChunk(type, await cursor.take(size));
    } else if (type === IDENTIFIER) {
      if (size !== 6 || !(await cursor.take(size)).equals(STREAM_IDENTIFIER.subarray(4)))
        throw new CorruptStream('a stream identifier is malformed');
    } else if (type >= FIRST_SKIPPABLE!) {
      await cursor.skip(size);
    } else {
      throw new CorruptStream(`there is a chunk of unknown type 0x${type.toString(16).padStart(2, '0')}`);
    }
  }
}

function decodeChunk(type: number, chunk: Buffer): Buffer {
  const data = chunk.subarray(4);
  const content = type === COMPRESSED ? uncompressChunk(data) : data;
  if (content.length > CHUNK_BYTES) throw new CorruptStream('a chunk holds more than 64 KiB');
  if (unmasked(chunk.readUInt32LE()) !== crc32c(content))
    throw new CorruptStream('the checksum of a chunk is wrong');
  return content;
}

function uncompressChunk(data: Buffer): Buffer {
  // The library allocates the announced size; with at most three varint bytes that is 2 MiB.
  if (data.subarray(0, 3).every((byte) => byte >= 0x80)) throw new CorruptStream('a chunk is malformed');
  try {
    return uncompressSync(data) as Buffer;
  } catch (cause) {
    throw new CorruptStream('a chunk is malformed', { cause });
  }
}

/**
 * Unmasks a stored checksum: the format rotates and shifts them, because contents may themselves contain
 * checksums.
 */
function unmasked(stored: number): number {
  const rotated = (stored - 0xa282ead8) >>> 0;
  return ((rotated >>> 17) | (rotated << 15)) >>> 0;
}
