import { execFileSync, spawnSync } from 'node:child_process';
import { Readable } from 'node:stream';
import zlib from 'node:zlib';
import fc from 'fast-check';
import { compressFrameSync } from 'lz4-napi';
import { Compressor, compressSync } from 'snappy';
import { describe, expect, it } from 'vitest';
import { failureOf, inPieces } from '../multipart-fixture.ts';
import { decodeContent } from './content-coding.ts';

const small = Buffer.from('Tessera, tessera, tessera: 1,2,3\n'.repeat(20));
const large = Buffer.from(
  Array.from({ length: 40_000 }, (_, i) => `${i},${(i * 7919) % 1009},name ${i % 97}\n`).join(''),
);

const empty = Buffer.alloc(0);

async function framedSnappy(content: Buffer): Promise<Buffer> {
  const compressor = new Compressor();
  return Buffer.concat([compressor.update(content), await compressor.finish()]);
}

/** A program that reads stdin and writes stdout; undefined if it is not installed. */
function program(name: string, ...args: string[]): ((content: Buffer) => Buffer) | undefined {
  const probe = spawnSync(name, [...args], { input: small });
  if (probe.status !== 0) return undefined;
  return (input) =>
    execFileSync(name, args, { input, maxBuffer: 1 << 30, stdio: ['pipe', 'pipe', 'ignore'] });
}

const python = (expression: string) =>
  program(
    'python3',
    '-c',
    `import sys, gzip, zlib, lzma; d = sys.stdin.buffer.read(); sys.stdout.buffer.write(${expression})`,
  );

type Encode = ((content: Buffer) => Buffer | Promise<Buffer>) | undefined;

/** Encodes each content once, because some encoders take a second and several tests decode the same. */
function encodingOnce(encode: NonNullable<Encode>): NonNullable<Encode> {
  const known = new Map<Buffer, Buffer | Promise<Buffer>>();
  return (content) => {
    const encoded = known.get(content) ?? encode(content);
    known.set(content, encoded);
    return encoded;
  };
}

/**
 * The encoders of each coding. Framed snappy is only truncated within a frame, because its end is not marked.
 */
const ENCODERS = (
  [
    ['gzip', 'node', (c) => zlib.gzipSync(c)],
    ['X-GZip', 'python gzip', python('gzip.compress(d, mtime=0)')],
    [
      'gzip',
      'gzip with a file name',
      python("b'\\x1f\\x8b\\x08\\x08' + bytes(4) + b'\\x00\\x03name\\x00' + gzip.compress(d, mtime=0)[10:]"),
    ],
    ['deflate', 'node, zlib format', (c) => zlib.deflateSync(c)],
    ['deflate', 'node, raw', (c) => zlib.deflateRawSync(c)],
    ['deflate', 'node, raw and stored', (c) => zlib.deflateRawSync(c, { level: 0 })],
    ['deflate', 'python zlib', python('zlib.compress(d, 1)')],
    [
      'br',
      'node',
      (c) => zlib.brotliCompressSync(c, { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 5 } }),
    ],
    ['zstd', 'node', (c) => zlib.zstdCompressSync(c)],
    ['ZSTD', 'zstd -19 --long=27 --check', program('zstd', '-19', '--long=27', '--check', '-c')],
    ['lz4', 'lz4-napi', (c) => compressFrameSync(c)],
    ['lz4', 'lz4, checksums', program('lz4', '-c', '-BX', '-B4')],
    ['lz4', 'lz4 -9, linked blocks of 64 KiB', program('lz4', '-9', '-BD', '-B4', '-c')],
    ['lz4', 'lz4, linked blocks of 4 MiB', program('lz4', '-BD', '-B7', '-c')],
    ['snappy', 'framed', framedSnappy],
    ['snappy', 'raw block', (c) => compressSync(c)],
    ['xz', 'xz', program('xz', '-c')],
    ['xz', 'xz -0, CRC32, many blocks', program('xz', '-0', '-C', 'crc32', '--block-size=100KiB', '-c')],
    ['xz', 'python lzma, no check', python('lzma.compress(d, check=lzma.CHECK_NONE)')],
  ] as [coding: string, encoder: string, encode: Encode][]
).map(([coding, encoder, encode]) => [coding, encoder, encode && encodingOnce(encode)] as const);

async function decoded(coding: string, content: Buffer, pieces = 64 * 1024): Promise<Buffer> {
  async function* source() {
    yield* inPieces(content, pieces);
  }
  const chunks: Buffer[] = [];
  for await (const chunk of decodeContent(source(), coding, 'p')) chunks.push(chunk);
  return Buffer.concat(chunks);
}

const failure = (coding: string, content: Buffer) => failureOf(decoded(coding, content));

describe.each(ENCODERS)(
  '%s by %s (skipped where the encoder is not installed)',
  (coding, encoder, encode) => {
    const run = it.skipIf(encode === undefined);
    // An empty input and the stream identifier alone are both complete streams with empty content.
    const wholeLengths = coding !== 'snappy' ? [] : encoder === 'framed' ? [0, 10] : [0];
    const encodeIt = async (content: Buffer): Promise<Buffer> => await encode!(content);

    run('decodes, whole and byte by byte', async () => {
      const encoded = await encodeIt(small);
      expect(await decoded(coding, encoded, 1)).toEqual(small);
      expect(await decoded(coding, encoded)).toEqual(small);
      expect((await decoded(coding, await encodeIt(large))).equals(large)).toBe(true);
    });

    run('decodes empty content', async () => {
      expect(await decoded(coding, await encodeIt(empty))).toEqual(empty);
    });

    run('decodes any content cut anywhere', async () => {
      const encoded = await encodeIt(large);
      await fc.assert(
        fc.asyncProperty(fc.integer({ min: 5000, max: encoded.length }), async (pieces) =>
          (await decoded(coding, encoded, pieces)).equals(large),
        ),
        { numRuns: 3 },
      );
    });

    run('refuses every truncation', async () => {
      const encoded = await encodeIt(small);
      for (let length = 0; length < encoded.length; length++) {
        if (wholeLengths.includes(length)) continue;
        expect(await failure(coding, encoded.subarray(0, length))).toMatch(
          new RegExp(`^BAD_UPLOAD: Part "p": the ${coding.toLowerCase()} content is corrupt: `),
        );
      }
    });

    run('refuses what follows the end', async () => {
      const encoded = await encodeIt(small);
      for (const junk of ['x', '\0', 'junk and more junk'])
        expect(await failure(coding, Buffer.concat([encoded, Buffer.from(junk)]))).toContain(
          'content is corrupt',
        );
    });
  },
);

const CONCATENABLE = ENCODERS.filter(
  ([coding, encoder]) => /gzip|zstd|lz4|xz/i.test(coding) || encoder === 'framed',
);

describe.each(CONCATENABLE)(
  '%s by %s (skipped where the encoder is not installed)',
  (coding, _encoder, encode) => {
    it.skipIf(encode === undefined)('decodes streams one after the other', async () => {
      const [first, nothing, last] = [await encode!(small), await encode!(empty), await encode!(large)];
      const streams = Buffer.concat([first, nothing, last]);
      expect((await decoded(coding, streams)).equals(Buffer.concat([small, large]))).toBe(true);
      for (const pieces of [1, 7, first.length])
        expect(await decoded(coding, Buffer.concat([first, nothing, first]), pieces)).toEqual(
          Buffer.concat([small, small]),
        );
    });
  },
);

const CHECKSUMMED = ENCODERS.filter(([, encoder]) =>
  [
    'node',
    'zstd -19 --long=27 --check',
    'lz4, checksums',
    'framed',
    'xz',
    'node, zlib format',
    'python gzip',
  ].includes(encoder),
).filter(([coding, encoder]) => !(encoder === 'node' && /br|zstd/.test(coding)));

describe.each(CHECKSUMMED)(
  '%s by %s (skipped where the encoder is not installed)',
  (coding, _encoder, encode) => {
    it.skipIf(encode === undefined)('never returns wrong content for a flipped bit', async () => {
      const encoded = await encode!(small);
      for (let at = 0; at < encoded.length; at++) {
        const flipped = Buffer.from(encoded);
        flipped[at]! ^= 1 << (at % 8);
        const content = await decoded(coding, flipped).catch(() => undefined);
        // Fields such as a file's time are not covered by a checksum; the content is.
        if (content !== undefined) expect(content).toEqual(small);
      }
    });
  },
);

describe('limits of the codings', () => {
  it.skipIf(program('xz', '-c') === undefined)(
    'xz: checks, dictionaries and filters that are not taken (skipped without the program xz)',
    async () => {
      const xz = (...args: string[]) => execFileSync('xz', [...args, '-c'], { input: small });
      expect(await failure('xz', xz('-C', 'sha256'))).toContain(
        'a filter or an integrity check that is not taken',
      );
      expect(await failure('xz', xz('--x86', '--lzma2'))).toContain(
        'a filter or an integrity check that is not taken',
      );
      expect(await failure('xz', xz('--lzma2=dict=128MiB'))).toContain(
        'its dictionary is larger than 64 MiB',
      );
      expect(await failure('xz', xz('--format=lzma'))).toContain('it does not have the xz format');
    },
  );

  it.skipIf(program('xz', '-c') === undefined)(
    'xz: padding between and after streams comes in fours (skipped without the program xz)',
    async () => {
      const stream = execFileSync('xz', ['-c'], { input: small });
      const padded = (bytes: number) =>
        Buffer.concat([stream, Buffer.alloc(bytes), stream, Buffer.alloc(bytes)]);
      expect(await decoded('xz', padded(8))).toEqual(Buffer.concat([small, small]));
      expect(await failure('xz', padded(3))).toContain('content is corrupt');
      expect(await failure('xz', Buffer.concat([stream, Buffer.alloc(3)]))).toContain('content is corrupt');
    },
  );

  it.skipIf(program('zstd', '-c') === undefined)(
    'zstd: windows above 128 MiB (skipped without the program zstd)',
    async () => {
      const encoded = execFileSync('zstd', ['--ultra', '-22', '--long=30', '-c'], { input: small });
      // The window of a small file is small; only the header of a stream of unknown size requests all of it.
      expect(await failure('zstd', encoded)).toMatch(/Part "p": the zstd content is corrupt: .*[Mm]emory/);
    },
  );

  it('zstd: skippable frames', async () => {
    const skippable = Buffer.concat([Buffer.from([0x55, 0x2a, 0x4d, 0x18, 3, 0, 0, 0]), Buffer.from('abc')]);
    const encoded = Buffer.concat([skippable, zlib.zstdCompressSync(small), skippable, skippable]);
    for (const pieces of [1, 5, 1000]) expect(await decoded('zstd', encoded, pieces)).toEqual(small);
  });
});

it('zstd frames that arrive together are all decoded, however slowly they are read', async () => {
  const FRAME_BYTES = 6_000_000;
  const frames = Array.from({ length: 8 }, (_, i) => zlib.zstdCompressSync(Buffer.alloc(FRAME_BYTES, i)));
  for (let turns = 0; turns < 20; turns++) {
    let bytes = 0;
    for await (const chunk of decodeContent(Readable.from([Buffer.concat(frames)]), 'zstd', 'a')) {
      bytes += chunk.length;
      for (let turn = 0; turn < turns; turn++) await new Promise(setImmediate);
    }
    expect(bytes).toBe(frames.length * FRAME_BYTES);
  }
});
