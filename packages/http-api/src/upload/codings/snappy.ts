import { uncompressSync } from 'snappy';
import { ByteCursor } from './byte-cursor.ts';
import { CorruptStream, type Decoder } from './corrupt-stream.ts';
import { crc32c } from './crc32c.ts';
import { withFirstBytes } from './first-bytes.ts';
import { decodeRawSnappy } from './snappy-raw.ts';

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
