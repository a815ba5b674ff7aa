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

/** The header, or a description of what is wrong with the bytes. */
export async function headerOrReason(tail: Uint8Array, tablet: Tablet): Promise<HybridHeader | string> {
  try {
    return await readHeader(tail, tablet);
  } catch (error) {
    if (error instanceof TesseraError && error.name === 'CORRUPT_TABLET') return error.message;
    throw error;
  }
}

/** A description of the damage in a complete object; undefined if it is intact. */
export function damageIn(header: HybridHeader, body: Uint8Array): string | undefined {
  const chunks: Chunk[] = chunksOf(
    header,
    header.columns.map((column) => column.id),
  );
  return damageOf({ offset: 0, bytes: body.length, chunks }, body);
}

/** A description of the damage in a range of an object; undefined if it is intact. */
export function damageOf(range: FetchRange, body: Uint8Array): string | undefined {
  const damaged = damagedChunk(range, body);
  return damaged && `the checksum of column ${damaged.column} in granule ${damaged.granule} does not match`;
}
