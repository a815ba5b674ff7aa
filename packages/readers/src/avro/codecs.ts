import { crc32, inflateRawSync, zstdDecompressSync } from 'node:zlib';
import { DecodeError, UnsupportedError } from '../columns/column-batch.ts';
import { MAX_BLOCK_BYTES, tooLarge } from './limits.ts';

/** Decodes the bytes of one block; never yields more than `MAX_BLOCK_BYTES`. */
export type Codec = (data: Uint8Array) => Uint8Array | Promise<Uint8Array>;

/** The codec named in the header of a container file. */
export async function codecOf(name: string): Promise<Codec> {
  switch (name) {
    case 'null':
      return (data) => data;
    case 'deflate':
      return guarded(name, (data) => inflateRawSync(data, { maxOutputLength: MAX_BLOCK_BYTES }));
    case 'zstandard':
      return guarded(name, (data) => zstdDecompressSync(data, { maxOutputLength: MAX_BLOCK_BYTES }));
    case 'snappy':
      return guarded(name, snappy((await import('snappy')).uncompressSync));
    case 'bzip2':
      return guarded(name, (await import('./codec-bzip2.ts')).bzip2);
    case 'xz':
      return guarded(name, (await import('./codec-xz.ts')).xz);
    default:
      throw new UnsupportedError(`The codec "${name}" of its blocks`);
  }
}

function guarded(name: string, codec: Codec): Codec {
  return async (data) => {
    try {
      return await codec(data);
    } catch (cause) {
      if (cause instanceof DecodeError) throw cause;
      if ((cause as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge();
      throw new DecodeError(`its ${name} data is corrupt`, { cause });
    }
  };
}

/** Decompresses raw snappy and verifies the CRC-32 of the result, which follows it. */
const snappy =
  (uncompressSync: typeof import('snappy').uncompressSync) =>
  (data: Uint8Array): Uint8Array => {
    if (data.length < 5) throw new DecodeError('its snappy data is truncated');
    const body = Buffer.from(data.buffer, data.byteOffset, data.byteLength - 4);
    // The library allocates the claimed length, so the claim is checked first.
    let claimed = 0;
    for (let i = 0, shift = 1; i < 5; i++, shift *= 128) {
      claimed += (body[i]! & 0x7f) * shift;
      if (!(body[i]! & 0x80)) break;
    }
    if (claimed > MAX_BLOCK_BYTES) throw tooLarge();
    const plain = uncompressSync(body, { asBuffer: true }) as Buffer;
    const expected = new DataView(data.buffer, data.byteOffset + data.byteLength - 4, 4).getUint32(0);
    if (crc32(plain) !== expected) throw new DecodeError('the checksum of its snappy data is wrong');
    return plain;
  };
