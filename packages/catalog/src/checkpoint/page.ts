import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { crc32c } from '@node-rs/crc32';
import type { Json } from '../codec/codec.ts';

/** A compressed JSON document. */
export interface Page {
  readonly bytes: Uint8Array;
  /** CRC-32C of the bytes. */
  readonly crc32c: number;
}

const LEVEL = { params: { [constants.ZSTD_c_compressionLevel]: 3 } };

export function encodePage(content: Json): Page {
  const bytes = zstdCompressSync(JSON.stringify(content), LEVEL);
  return { bytes, crc32c: crc32c(bytes) };
}

export const decodePage = (page: Page): unknown =>
  JSON.parse(zstdDecompressSync(page.bytes).toString('utf8'));

/** Pages of things that do not change: each is encoded once for as long as it lives. */
export class PageCache<T extends object> {
  readonly #pages = new WeakMap<T, Page>();

  pageOf(content: T, encode: (content: T) => Json): Page {
    const known = this.#pages.get(content);
    if (known !== undefined) return known;
    const page = encodePage(encode(content));
    this.#pages.set(content, page);
    return page;
  }

  /** The content was read from the page. */
  learn(content: T, page: Page): void {
    this.#pages.set(content, page);
  }
}
