import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { decodeThrift, encodeThrift, type ThriftStruct } from '../body/thrift-compact.ts';
import { PARQUET_MAGIC } from './body-file.ts';

/** More than a page header without statistics has. */
const HEADER_BYTES = 256;
const PAGE = { type: 1, bytes: 3 } as const;
const DICTIONARY_PAGE = 2;

/**
 * Counts the data pages of a Parquet file that the kernel is writing, from one page header to the next: the footer, which
 * lists the row groups, comes last. Each call continues where the one before it ended.
 */
export class WrittenPages {
  readonly #path: string;
  #at = PARQUET_MAGIC.length;
  #pages = 0;

  constructor(path: string) {
    this.#path = path;
  }

  /** The number of data pages that are completely in the file; 0 before there is a file. */
  count(): number {
    let file: number;
    try {
      file = openSync(this.#path, 'r');
    } catch {
      return this.#pages;
    }
    try {
      const { size } = fstatSync(file);
      const buffer = Buffer.allocUnsafe(HEADER_BYTES);
      while (this.#at < size) {
        const header = headerIn(buffer.subarray(0, readSync(file, buffer, 0, HEADER_BYTES, this.#at)));
        const bytes = header?.fields.get(PAGE.bytes)?.value;
        if (header === undefined || typeof bytes !== 'number' || bytes < 0) break;
        const end = this.#at + header.length + bytes;
        if (end > size) break;
        this.#at = end;
        if (header.fields.get(PAGE.type)?.value !== DICTIONARY_PAGE) this.#pages += 1;
      }
      return this.#pages;
    } finally {
      closeSync(file);
    }
  }
}

/** Undefined for a header that is not completely written, and for the footer. */
function headerIn(bytes: Buffer): { readonly fields: ThriftStruct; readonly length: number } | undefined {
  try {
    const fields = decodeThrift(bytes);
    return { fields, length: encodeThrift(fields).length };
  } catch {
    return undefined;
  }
}
