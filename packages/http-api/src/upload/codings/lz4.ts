import { Xxh32, xxh32 } from '@node-rs/xxhash';
import { uncompressSync } from 'lz4-napi';
import { ByteCursor } from './byte-cursor.ts';
import { CorruptStream, type Decoder } from './corrupt-stream.ts';

const FRAME_MAGIC = 0x184d2204;
const LEGACY_MAGIC = 0x184c2102;
const SKIPPABLE_MAGIC = 0x184d2a50;
const HISTORY_BYTES = 64 * 1024;
/** The maximum number of decoded bytes per byte of an LZ4 block. */
const MAX_EXPANSION = 255;
const UNCOMPRESSED_FLAG = 0x80000000;

/** Decodes the LZ4 Frame Format 1.6.4. Several frames, including skippable ones, may be concatenated. */
export const decodeLz4: Decoder = async function* (source) {
  const cursor = new ByteCursor(source);
  let magic = await cursor.take(4);
  for (;;) {
    const number = magic.readUInt32LE();
    if ((number & 0xfffffff0) === SKIPPABLE_MAGIC) await cursor.skip((await cursor.take(4)).readUInt32LE());
    else if (number === FRAME_MAGIC) yield* decodeFrame(cursor);
    else if (number === LEGACY_MAGIC) throw new CorruptStream('the legacy frame format is not taken');
    else throw new CorruptStream('a frame does not start with the magic number');
    const next = await cursor.takeOrEnd(4);
    if (next === undefined) return;
    magic = next;
  }
};

interface FrameDescriptor {
  readonly linkedBlocks: boolean;
  readonly blockChecksums: boolean;
  readonly contentChecksum: boolean;
  readonly contentBytes: bigint | undefined;
  readonly maxBlockBytes: number;
}

async function readDescriptor(cursor: ByteCursor): Promise<FrameDescriptor> {
  const fixed = await cursor.take(2);
  const flags = fixed[0]!;
  const blockSize = fixed[1]!;
  if (flags >> 6 !== 1) throw new CorruptStream(`frame version ${flags >> 6} is not known`);
  if ((flags & 0b10) !== 0 || (blockSize & 0x8f) !== 0 || blockSize >> 4 < 4)
    throw new CorruptStream('the frame header is malformed');
  if ((flags & 0b1) !== 0) throw new CorruptStream('the frame needs a dictionary');
  const size = await cursor.take((flags & 0b1000) !== 0 ? 8 : 0);
  const checksum = (await cursor.take(1))[0];
  if (((xxh32(Buffer.concat([fixed, size])) >>> 8) & 0xff) !== checksum)
    throw new CorruptStream('the checksum of the frame header is wrong');
  return {
    linkedBlocks: (flags & 0b100000) === 0,
    blockChecksums: (flags & 0b10000) !== 0,
    contentChecksum: (flags & 0b100) !== 0,
    contentBytes: size.length === 0 ? undefined : size.readBigUInt64LE(),
    maxBlockBytes: 4 ** (blockSize >> 4) * 256,
  };
}

async function* decodeFrame(cursor: ByteCursor): AsyncGenerator<Buffer, void> {
  const frame = await readDescriptor(cursor);
  const hash = new Xxh32();
  let history: Buffer = Buffer.alloc(0);
  let bytes = 0;
  for (;;) {
    const size = (await cursor.take(4)).readUInt32LE();
    if (size === 0) break;
    const content = await readBlock(cursor, frame, size, history);
    if (frame.linkedBlocks) history = lastBytes(history, content);
    if (frame.contentChecksum) hash.update(content);
    bytes += content.length;
    yield content;
  }
  if (frame.contentChecksum && (await cursor.take(4)).readUInt32LE() !== hash.digest())
    throw new CorruptStream('the content checksum is wrong');
  if (frame.contentBytes !== undefined && frame.contentBytes !== BigInt(bytes))
    throw new CorruptStream(`the frame announces ${frame.contentBytes} bytes and has ${bytes}`);
}

async function readBlock(
  cursor: ByteCursor,
  frame: FrameDescriptor,
  sizeField: number,
  history: Buffer,
): Promise<Buffer> {
  const isCompressed = sizeField < UNCOMPRESSED_FLAG;
  const size = isCompressed ? sizeField : sizeField - UNCOMPRESSED_FLAG;
  if (size > frame.maxBlockBytes) throw new CorruptStream('a block is larger than its frame allows');
  const block = await cursor.take(size);
  if (frame.blockChecksums && (await cursor.take(4)).readUInt32LE() !== xxh32(block))
    throw new CorruptStream('the checksum of a block is wrong');
  return isCompressed ? decodeBlock(block, frame.maxBlockBytes, history) : block;
}

function decodeBlock(block: Buffer, maxBytes: number, history: Buffer): Buffer {
  // The library reads the decoded size from the front and allocates it; this bound keeps small blocks cheap.
  const sized = Buffer.allocUnsafe(4 + block.length);
  sized.writeUInt32LE(Math.min(maxBytes, block.length * MAX_EXPANSION));
  block.copy(sized, 4);
  try {
    return history.length === 0 ? uncompressSync(sized) : uncompressSync(sized, history);
  } catch (cause) {
    throw new CorruptStream('a block is malformed', { cause });
  }
}

function lastBytes(history: Buffer, content: Buffer): Buffer {
  if (content.length >= HISTORY_BYTES) return content.subarray(content.length - HISTORY_BYTES);
  const all = Buffer.concat([history, content]);
  return all.subarray(Math.max(0, all.length - HISTORY_BYTES));
}
