import { uncompressSync } from 'lz4-napi';
import { expect, it } from 'vitest';
import { cityHash128 } from './cityhash128.ts';
import { ClickHouseBlocks } from './clickhouse-blocks.ts';

/** Reads the format as a client does, implemented from its description alone. */
function decodeBlocks(stream: Buffer): Buffer[] {
  const blocks: Buffer[] = [];
  for (let at = 0; at < stream.length; ) {
    const compressedBytes = stream.readUInt32LE(at + 17);
    const content = stream.subarray(at + 16, at + 16 + compressedBytes);
    const { low, high } = cityHash128(content);
    expect([stream.readBigUInt64LE(at), stream.readBigUInt64LE(at + 8)]).toEqual([low, high]);
    expect(content[0]).toBe(0x82);
    const block = uncompressSync(content.subarray(5));
    expect(block.length).toBe(content.readUInt32LE(5));
    blocks.push(block);
    at += 16 + compressedBytes;
  }
  return blocks;
}

const encode = (...chunks: Buffer[]): Buffer => {
  const blocks = new ClickHouseBlocks();
  return Buffer.concat([...chunks.flatMap((chunk) => blocks.add(chunk)), ...blocks.end()]);
};

it('the reader of this test accepts a block that a ClickHouse server made', () => {
  const block =
    'c5bcbc07c11ec471fd74af8d5b0f00c58226000000af0000007f48656c6c6f210a070082009300009a00b06c6f210a48656c6c6f210a';
  expect(String(decodeBlocks(Buffer.from(block, 'hex'))[0])).toBe('Hello!\n'.repeat(25));
});

it('gives one block for a short result and none for an empty one', () => {
  expect(decodeBlocks(encode(Buffer.from('a\tb\n'), Buffer.from('1\t2\n')))).toEqual([
    Buffer.from('a\tb\n1\t2\n'),
  ]);
  expect(encode()).toEqual(Buffer.alloc(0));
});

it('cuts long results into blocks of 512 KiB however they arrive', () => {
  const rows = Buffer.from(
    Array.from({ length: 150_000 }, (_, i) => `${i}\tvalue ${(i * 7919) % 1009}\n`).join(''),
  );
  for (const pieces of [1000, 512 * 1024, rows.length]) {
    const chunks: Buffer[] = [];
    for (let at = 0; at < rows.length; at += pieces) chunks.push(rows.subarray(at, at + pieces));
    const blocks = decodeBlocks(encode(...chunks));
    expect(Buffer.concat(blocks).equals(rows)).toBe(true);
    expect(blocks.slice(0, -1).every((block) => block.length === 512 * 1024)).toBe(true);
  }
});

it('stores content that does not compress', () => {
  const noise = Buffer.from(
    Array.from({ length: 100_000 }, (_, i) => Number(((BigInt(i) ** 3n) >> 7n) & 0xffn)),
  );
  expect(Buffer.concat(decodeBlocks(encode(noise)))).toEqual(noise);
});
