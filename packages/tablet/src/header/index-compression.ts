import zlib from 'node:zlib';
import type { HeaderOptions } from '../header-options.ts';
import { ByteReader, MalformedHeader } from './byte-reader.ts';

export type CompressionMethod = HeaderOptions['compression'];

/*
 * The libraries of methods that few tables use are loaded with their first use: each takes 2 to 4 MB.
 */

/** Methods by their number in the header. Must never be reordered. */
export const COMPRESSION_METHODS: readonly CompressionMethod[] = [
  'none',
  'gzip',
  'zlib',
  'xz',
  'zstd',
  'brotli',
  'lz4',
  'snappy',
];

/**
 * Compresses bytes. Methods without levels ignore `level`; the others accept the range that the configuration
 * allows.
 */
export async function compress(bytes: Buffer, method: CompressionMethod, level: number): Promise<Buffer> {
  switch (method) {
    case 'none':
      return bytes;
    case 'gzip':
      return zlib.gzipSync(bytes, { level });
    case 'zlib':
      return zlib.deflateSync(bytes, { level });
    case 'xz':
      return xz(bytes, level);
    case 'zstd':
      return zlib.zstdCompressSync(bytes, { params: { [zlib.constants.ZSTD_c_compressionLevel]: level } });
    case 'brotli':
      return zlib.brotliCompressSync(bytes, {
        params: {
          [zlib.constants.BROTLI_PARAM_QUALITY]: level,
          [zlib.constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
        },
      });
    case 'lz4':
      return (await import('lz4-napi')).compressSync(bytes);
    case 'snappy':
      return (await import('snappy')).compressSync(bytes);
  }
}

/** Higher presets only differ in a larger dictionary, which takes seconds to set up. */
const XZ_LAST_PRESET = 6;
const XZ_DICTIONARY_BYTES = 8 * 1024 * 1024;

async function xz(bytes: Buffer, level: number): Promise<Buffer> {
  const preset = bytes.length <= XZ_DICTIONARY_BYTES ? Math.min(level, XZ_LAST_PRESET) : level;
  const { Compressor } = await import('@napi-rs/lzma/xz');
  const encoder = new Compressor({ preset });
  return Buffer.concat([encoder.update(bytes), await encoder.finish()]);
}

/**
 * Undoes `compress` without ever producing more than `length` bytes.
 * @throws MalformedHeader for bytes that are not `length` bytes compressed by the method
 */
export async function decompress(
  bytes: Buffer,
  method: CompressionMethod,
  length: number,
): Promise<Uint8Array> {
  const raw = await undo(bytes, method, length).catch((error: unknown) => {
    throw new MalformedHeader(`the primary index is not valid ${method}: ${(error as Error).message}`);
  });
  if (raw.length !== length)
    throw new MalformedHeader(`the primary index is ${raw.length} bytes, not ${length}`);
  return raw;
}

async function undo(bytes: Buffer, method: CompressionMethod, length: number): Promise<Uint8Array> {
  const bound = { maxOutputLength: Math.max(1, length) };
  switch (method) {
    case 'none':
      return bytes;
    case 'gzip':
      return zlib.gunzipSync(bytes, bound);
    case 'zlib':
      return zlib.inflateSync(bytes, bound);
    case 'xz':
      return undoXz(bytes, length);
    case 'zstd':
      return zlib.zstdDecompressSync(bytes, bound);
    case 'brotli':
      return zlib.brotliDecompressSync(bytes, bound);
    case 'lz4':
      // The block is preceded by its length, which the library trusts.
      if (bytes.length < 4 || bytes.readUInt32LE() !== length) throw new Error('another length inside');
      return (await import('lz4-napi')).uncompressSync(bytes);
    case 'snappy':
      if (new ByteReader(bytes).number() !== length) throw new Error('another length inside');
      return (await import('snappy')).uncompressSync(bytes) as Buffer;
  }
}

const XZ_PIECE = 1024;

/** Decompresses in small steps, so that the output exceeds the limit by at most one step. */
async function undoXz(bytes: Buffer, length: number): Promise<Uint8Array> {
  const { Decompressor } = await import('@napi-rs/lzma/xz');
  const decoder = new Decompressor();
  const out: Buffer[] = [];
  let total = 0;
  const take = (piece: Buffer) => {
    total += piece.length;
    if (total > length) throw new Error(`more than ${length} bytes`);
    out.push(piece);
  };
  for (let at = 0; at < bytes.length; at += XZ_PIECE) take(decoder.update(bytes.subarray(at, at + XZ_PIECE)));
  take(await decoder.finish());
  return Buffer.concat(out);
}
