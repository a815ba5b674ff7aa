import type { Tablet } from '@tessera/catalog';
import { TesseraError } from '@tessera/common';
import {
  type Chunk,
  chunksOf,
  damagedChunk,
  type FetchRange,
  type HybridHeader,
  readHeader,
} from '@tessera/tablet';

/** The header, or what is wrong with the bytes. */
export async function headerOrReason(tail: Uint8Array, tablet: Tablet): Promise<HybridHeader | string> {
  try {
    return await readHeader(tail, tablet);
  } catch (error) {
    if (error instanceof TesseraError && error.name === 'CORRUPT_TABLET') return error.message;
    throw error;
  }
}

/** What is wrong with a whole object. */
export function damageIn(header: HybridHeader, body: Uint8Array): string | undefined {
  const chunks: Chunk[] = chunksOf(
    header,
    header.columns.map((column) => column.id),
  );
  return damageOf({ offset: 0, bytes: body.length, chunks }, body);
}

/** What is wrong with a range of an object. */
export function damageOf(range: FetchRange, body: Uint8Array): string | undefined {
  const damaged = damagedChunk(range, body);
  return damaged && `the checksum of column ${damaged.column} in granule ${damaged.granule} does not match`;
}
