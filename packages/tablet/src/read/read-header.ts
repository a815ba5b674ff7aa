import { crc32c } from '@node-rs/crc32';
import type { Tablet } from '@tessera/catalog';
import { TesseraError } from '@tessera/common';
import { MalformedHeader } from '../header/byte-reader.ts';
import { decodeHeader } from '../header/decode-header.ts';
import type { HybridHeader } from '../header/hybrid-header.ts';

/**
 * The Hybrid Header of a tablet, given the bytes from `headerOffset` to the end of its object (for compact
 * tablets, a part of the whole object). They are verified against the checksum in the catalog.
 * @throws TesseraError CORRUPT_TABLET
 */
export async function readHeader(tail: Uint8Array, tablet: Tablet): Promise<HybridHeader> {
  if (tail.length !== tablet.bytes - tablet.headerOffset)
    throw corrupt(tablet, `the header and footer are ${tail.length} bytes long`);
  if (crc32c(tail) !== tablet.tailCrc32c)
    throw corrupt(tablet, 'the checksum of the header and footer does not match');
  try {
    const header = await decodeHeader(tail.subarray(0, tablet.footerOffset - tablet.headerOffset));
    if (header.rows !== tablet.rows) throw new MalformedHeader('it states another number of rows');
    return header;
  } catch (error) {
    if (error instanceof MalformedHeader) throw corrupt(tablet, `the header is malformed: ${error.message}`);
    throw error;
  }
}

const corrupt = (tablet: Tablet, reason: string): TesseraError =>
  TesseraError.of('CORRUPT_TABLET', { tablet: tablet.id, table: tablet.tableId, reason });
