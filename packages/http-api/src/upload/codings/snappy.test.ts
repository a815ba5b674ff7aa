import { Readable } from 'node:stream';
import { compressSync } from 'snappy';
import { describe, expect, it } from 'vitest';
import { crc32c, decodeSnappy } from './snappy.ts';

async function decoded(...pieces: Buffer[]): Promise<Buffer> {
  async function* source() {
    yield* pieces;
  }
  return Buffer.concat(await Readable.from(decodeSnappy(source())).toArray());
}

const text = (content: string) => Buffer.from(content, 'latin1');

it('CRC-32C as in RFC 3720 B.4', () => {
  expect(crc32c(Buffer.alloc(32))).toBe(0x8a9136aa);
  expect(crc32c(Buffer.alloc(32, 0xff))).toBe(0x62a8ab43);
  expect(crc32c(Buffer.from(Array.from({ length: 32 }, (_, i) => i)))).toBe(0x46dd794e);
  expect(crc32c(text('123456789'))).toBe(0xe3069283);
});

describe('framed', () => {
  const IDENTIFIER = text('\xff\x06\x00\x00sNaPpY');
  const chunk = (type: number, data: Buffer) =>
    Buffer.concat([
      Buffer.from([type, data.length & 0xff, (data.length >> 8) & 0xff, data.length >> 16]),
      data,
    ]);
  const checksum = (content: Buffer) => {
    const crc = crc32c(content);
    return Buffer.from(Uint32Array.of((((crc >>> 15) | (crc << 17)) + 0xa282ead8) >>> 0).buffer);
  };
  const stored = (content: Buffer) => chunk(1, Buffer.concat([checksum(content), content]));
  const compressed = (content: Buffer) => chunk(0, Buffer.concat([checksum(content), compressSync(content)]));

  it('takes stored, compressed, padding and skippable chunks and further identifiers', async () => {
    const body = [
      IDENTIFIER,
      stored(text('a')),
      chunk(0xfe, text('pad')),
      compressed(text('b')),
      IDENTIFIER,
      chunk(0x80, text('s')),
      stored(text('c')),
    ];
    expect(String(await decoded(...body))).toBe('abc');
  });

  it.each([
    ['an unknown chunk', [chunk(0x02, text('x'))], 'there is a chunk of unknown type 0x02'],
    ['a wrong identifier', [chunk(0xff, text('sNaPpX'))], 'a stream identifier is malformed'],
    ['a stored chunk above 64 KiB', [stored(Buffer.alloc(65_537))], 'a chunk holds more than 64 KiB'],
    ['a compressed chunk above 64 KiB', [compressed(Buffer.alloc(65_537))], 'a chunk holds more than 64 KiB'],
    [
      'an impossible chunk size',
      [chunk(0, Buffer.alloc(80_000))],
      'a chunk has an impossible size of 80000 bytes',
    ],
    [
      'an announced size of gigabytes',
      [chunk(0, text('\0\0\0\0\xff\xff\xff\xff\x0f'))],
      'a chunk is malformed',
    ],
    ['a wrong checksum', [chunk(1, text('\0\0\0\0x'))], 'the checksum of a chunk is wrong'],
    ['a chunk cut short', [stored(text('abc')).subarray(0, -1)], 'the compressed stream is cut short'],
  ])('refuses %s', async (_what, body, message) => {
    await expect(decoded(IDENTIFIER, ...body)).rejects.toThrow(message);
  });
});

describe('raw', () => {
  const literal = (content: string) =>
    Buffer.concat([Buffer.from([(content.length - 1) << 2]), text(content)]);

  it('decodes all kinds of elements', async () => {
    const longLiteral = Buffer.concat([Buffer.from([61 << 2, 0xff, 0x00]), Buffer.alloc(256, 'L')]);
    const copies = Buffer.from([0b000_000_01, 4, (2 << 2) | 2, 4, 0, (2 << 2) | 3, 1, 0, 0, 0]);
    const body = Buffer.concat([Buffer.from([0x8e, 0x02]), literal('abcd'), copies, longLiteral]);
    expect(String(await decoded(body))).toBe(`abcdabcdabcccc${'L'.repeat(256)}`);
  });

  it('reaches back across many emissions of a large block', async () => {
    const period = Buffer.from(Array.from({ length: 60_000 }, (_, i) => (i * i) >> 5));
    const content = Buffer.concat(Array.from({ length: 700 }, () => period));
    expect((await decoded(compressSync(content))).equals(content)).toBe(true);
  });

  it.each([
    [
      'a copy from before the start',
      Buffer.concat([Buffer.from([10]), literal('abc'), Buffer.from([(2 << 2) | 2, 4, 0])]),
      'a copy reaches 4 bytes back',
    ],
    [
      'a copy of offset 0',
      Buffer.concat([Buffer.from([10]), literal('abc'), Buffer.from([(2 << 2) | 2, 0, 0])]),
      'a copy reaches 0 bytes back',
    ],
    [
      'more than announced',
      Buffer.concat([Buffer.from([2]), literal('abc')]),
      'it has more than the 2 bytes it announces',
    ],
    [
      'less than announced',
      Buffer.concat([Buffer.from([4]), literal('abc')]),
      'the compressed stream is cut short',
    ],
    [
      'a length of more than 32 bits',
      Buffer.from([0xff, 0xff, 0xff, 0xff, 0x7f, 0]),
      'it is neither framed nor a raw snappy block',
    ],
  ])('refuses %s', async (_what, body, message) => {
    await expect(decoded(body)).rejects.toThrow(message);
  });
});
