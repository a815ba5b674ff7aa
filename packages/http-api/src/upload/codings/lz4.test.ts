import { Readable } from 'node:stream';
import { xxh32 } from '@node-rs/xxhash';
import { compressFrameSync } from 'lz4-napi';
import { expect, it } from 'vitest';
import { CorruptStream } from './corrupt-stream.ts';
import { decodeLz4 } from './lz4.ts';

async function decoded(...pieces: Buffer[]): Promise<string> {
  async function* source() {
    yield* pieces;
  }
  return Buffer.concat(await Readable.from(decodeLz4(source())).toArray()).toString();
}

const le32 = (value: number) => Buffer.from(Uint32Array.of(value).buffer);
const MAGIC = le32(0x184d2204);
const END = le32(0);

function header(flags: number, blockSize: number, extra = Buffer.alloc(0)): Buffer {
  const descriptor = Buffer.concat([Buffer.from([flags, blockSize]), extra]);
  return Buffer.concat([MAGIC, descriptor, Buffer.from([(xxh32(descriptor) >>> 8) & 0xff])]);
}

const INDEPENDENT = 0x60;
const LINKED = 0x40;
const stored = (content: string) => Buffer.concat([le32(0x80000000 + content.length), Buffer.from(content)]);
/**
 * A block with four literals, a match of 8 bytes at distance `offset`, and the five literals that end every
 * block.
 */
const matching = (offset: number) => {
  const block = Buffer.from([0x44, ...Buffer.from('abcd'), offset, 0, 0x50, ...Buffer.from('vwxyz')]);
  return Buffer.concat([le32(block.length), block]);
};

it('decodes stored and compressed blocks', async () => {
  expect(await decoded(header(INDEPENDENT, 0x40), stored('hello '), matching(4), END)).toBe(
    'hello abcdabcdabcdvwxyz',
  );
});

it('lets linked blocks reach into the blocks before, independent ones not', async () => {
  expect(await decoded(header(LINKED, 0x40), stored('12345678'), matching(12), END)).toBe(
    '12345678abcd12345678vwxyz',
  );
  await expect(decoded(header(INDEPENDENT, 0x40), stored('12345678'), matching(12), END)).rejects.toThrow(
    'a block is malformed',
  );
});

it('passes over skippable frames anywhere', async () => {
  const skippable = Buffer.concat([le32(0x184d2a5f), le32(5), Buffer.from('xxxxx')]);
  const frame = compressFrameSync(Buffer.from('content'));
  expect(await decoded(skippable, frame, skippable, frame, skippable)).toBe('contentcontent');
});

it.each([
  ['the magic number', [Buffer.from('nope....')], 'a frame does not start with the magic number'],
  ['a legacy frame', [le32(0x184c2102), stored('x')], 'the legacy frame format is not taken'],
  ['the version', [header(0x20, 0x40), END], 'frame version 0 is not known'],
  ['reserved bits', [header(INDEPENDENT | 2, 0x40), END], 'the frame header is malformed'],
  ['the block size', [header(INDEPENDENT, 0x30), END], 'the frame header is malformed'],
  ['a dictionary', [header(INDEPENDENT | 1, 0x40, le32(7)), END], 'the frame needs a dictionary'],
  [
    'the header checksum',
    [MAGIC, Buffer.from([INDEPENDENT, 0x40, 0]), END],
    'the checksum of the frame header is wrong',
  ],
  [
    'a block above the size',
    [header(INDEPENDENT, 0x40), stored('x'.repeat(65_537)), END],
    'a block is larger than its frame allows',
  ],
  [
    'a block checksum',
    [header(INDEPENDENT | 0x10, 0x40), stored('x'), le32(1), END],
    'the checksum of a block is wrong',
  ],
  [
    'the content checksum',
    [header(INDEPENDENT | 4, 0x40), stored('x'), END, le32(1)],
    'the content checksum is wrong',
  ],
  [
    'the content size',
    [header(INDEPENDENT | 8, 0x40, Buffer.concat([le32(2), le32(0)])), stored('x'), END],
    'the frame announces 2 bytes and has 1',
  ],
] as const)('refuses by %s', async (_what, pieces, message) => {
  const failure = decoded(...pieces);
  await expect(failure).rejects.toThrow(message);
  await expect(failure).rejects.toBeInstanceOf(CorruptStream);
});
