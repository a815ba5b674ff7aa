import type { Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from 'node:zlib';
import { fail } from '@tessera/common';

const DECODERS: Readonly<Record<string, () => Transform>> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
  zstd: createZstdDecompress,
};

/** The decoders that undo a response's `Content-Encoding`, in the order the body must pass them. `name` is for errors. */
export function contentDecoders(contentEncoding: string, name: string): Transform[] {
  const codings = contentEncoding
    .split(',')
    .map((coding) => coding.trim().toLowerCase())
    .filter((coding) => coding !== '' && coding !== 'identity');
  if (codings.length > 3)
    fail('EXTERNAL_READ_FAILED', { url: name, reason: 'more than three content codings' });
  return codings.reverse().map((coding) => {
    const create = Object.hasOwn(DECODERS, coding) ? DECODERS[coding] : undefined;
    return (
      create?.() ??
      fail('EXTERNAL_READ_FAILED', { url: name, reason: `unknown Content-Encoding "${coding}"` })
    );
  });
}
