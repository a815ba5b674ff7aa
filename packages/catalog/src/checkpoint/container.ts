import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { crc32c } from '@node-rs/crc32';
import { TesseraError } from '@tessera/common';
import type { Json } from '../codec/codec.ts';

/** A compressed JSON document. */
export interface Page {
  readonly bytes: Uint8Array;
  /** CRC-32C of the bytes. */
  readonly crc32c: number;
}

const LEVEL = { params: { [constants.ZSTD_c_compressionLevel]: 3 } };

function encodePage(content: Json): Page {
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

/**
 * The file of a checkpoint: `TESSCKPT`, four 32-bit numbers in little-endian order (format, length of the head page, its
 * CRC-32C, CRC-32C of the 20 bytes before), the head page, the other pages.
 */
const MAGIC = Buffer.from('TESSCKPT', 'latin1');
const FORMAT = 1;
const PREFIX_LENGTH = MAGIC.length + 16;

/** The position of a page, counted from the end of the head page: `[offset, length, crc32c]`. */
export type PageReference = readonly [offset: number, length: number, crc32c: number];

/** Gathers pages; each gets its place as it comes. */
export class PageWriter {
  readonly #pages: Uint8Array[] = [];
  #length = 0;

  add(page: Page): PageReference {
    const reference = [this.#length, page.bytes.length, page.crc32c] as const;
    this.#pages.push(page.bytes);
    this.#length += page.bytes.length;
    return reference;
  }

  /** The whole file. `head` gets the length of the pages. */
  finish(head: (pagesLength: number) => Json): Uint8Array {
    const headPage = encodePage(head(this.#length));
    const prefix = Buffer.alloc(PREFIX_LENGTH);
    MAGIC.copy(prefix);
    prefix.writeUInt32LE(FORMAT, 8);
    prefix.writeUInt32LE(headPage.bytes.length, 12);
    prefix.writeUInt32LE(headPage.crc32c, 16);
    prefix.writeUInt32LE(crc32c(prefix.subarray(0, 20)), 20);
    return Buffer.concat([prefix, headPage.bytes, ...this.#pages]);
  }
}

/** The head of a file and its pages, the checksums not looked at yet. */
export class PageReader {
  readonly head: unknown;
  readonly length: number;
  readonly #pages: Uint8Array;

  /** @throws TesseraError CORRUPT_METADATA */
  constructor(file: Uint8Array) {
    const buffer = Buffer.from(file.buffer, file.byteOffset, file.byteLength);
    if (buffer.length < PREFIX_LENGTH || !buffer.subarray(0, MAGIC.length).equals(MAGIC))
      throw damaged('it does not begin as one');
    if (buffer.readUInt32LE(20) !== crc32c(buffer.subarray(0, 20)))
      throw damaged('its first bytes are damaged');
    const format = buffer.readUInt32LE(8);
    if (format > FORMAT)
      throw damaged(`it has format ${format}, this version of Tessera reads formats up to ${FORMAT}`);
    const headEnd = PREFIX_LENGTH + buffer.readUInt32LE(12);
    const headPage = { bytes: buffer.subarray(PREFIX_LENGTH, headEnd), crc32c: buffer.readUInt32LE(16) };
    this.head = decodePage(whole(headPage));
    this.#pages = buffer.subarray(headEnd);
    this.length = this.#pages.length;
  }

  /** @throws TesseraError CORRUPT_METADATA */
  page([offset, length, checksum]: PageReference): Page {
    return whole({ bytes: this.#pages.subarray(offset, offset + length), crc32c: checksum });
  }
}

function whole(page: Page): Page {
  if (crc32c(page.bytes) !== page.crc32c) throw damaged('a page does not have its checksum');
  return page;
}

export const damaged = (reason: string): TesseraError =>
  TesseraError.of('CORRUPT_METADATA', { what: 'checkpoint', reason });
