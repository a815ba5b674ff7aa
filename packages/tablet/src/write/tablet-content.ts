import { crc32c } from '@node-rs/crc32';
import type { TableObject, Tablet, TabletId, TabletLayout } from '@tessera/catalog';
import { newUlid } from '@tessera/common';
import type { RowGroup } from '../body/parquet-footer.ts';
import { encodeHeader } from '../header/encode-header.ts';
import type { KeyValue } from '../header/hybrid-header.ts';
import type { HeaderOptions } from '../header-options.ts';
import { PARQUET_MAGIC, TRAILER_BYTES } from './body-file.ts';
import { type ColumnOutline, statisticsOf } from './granule-columns.ts';

/** A tablet with a smaller body is stored in the commit itself. */
const MAX_INLINE_BYTES = 64 * 1024;

/** The row groups of a tablet, and what follows from them. */
export interface TabletBody {
  readonly groups: readonly RowGroup[];
  readonly outlines: readonly ColumnOutline[];
  /** The checksums of the granules of each column. */
  readonly sums: readonly (readonly number[])[];
  /** The first key of each granule; empty if the table has no primary index. */
  readonly keys: readonly (readonly KeyValue[])[];
  /** The end of the row groups in the tablet's file. */
  readonly end: number;
  /** The Parquet footer. */
  readonly footer: Uint8Array;
  readonly partition: readonly (string | null)[];
}

/** The bytes after the row groups, which complete the file, and the tablet without key and content. */
export async function tabletContent(
  { groups, outlines, sums, keys, end, footer, partition }: TabletBody,
  { table, header: options }: { readonly table: TableObject; readonly header: HeaderOptions },
): Promise<{ readonly tail: Buffer; readonly tablet: Tablet }> {
  const granuleRows = groups.map((group) => group.rows);
  const rows = granuleRows.reduce((sum, n) => sum + n, 0);
  const chunks = groups.flatMap((group) => group.chunks);
  const uncompressedBytes = chunks.reduce((sum, chunk) => sum + chunk.uncompressedBytes, 0);
  const layout = layoutOf(options, uncompressedBytes, end + footer.length + TRAILER_BYTES);
  const header = await encodeHeader(
    {
      formatVersion: options.formatVersion,
      layout,
      tableId: table.id,
      schemaVersion: table.schemaVersion,
      rows,
      granuleRows,
      columns: outlines.map((outline, column) => ({
        ...outline,
        granules: outline.granules.map((granule, i) => ({ ...granule, crc32c: sums[column]![i]! })),
      })),
      partition,
      primaryIndex: { columns: keys.length === 0 ? [] : table.primaryIndex, keys },
    },
    {
      method: options.formatVersion === 1 ? 'none' : options.compression,
      level: options.compressionLevel,
    },
  );
  const tail = Buffer.concat([header, footer, trailerOf(footer)]);
  return {
    tail,
    tablet: {
      id: newUlid() as TabletId,
      tableId: table.id,
      schemaVersion: table.schemaVersion,
      layout,
      rows,
      bytes: end + tail.length,
      uncompressedBytes,
      granules: granuleRows.length,
      headerOffset: end,
      footerOffset: end + header.length,
      tailCrc32c: crc32c(tail),
      partition,
      statistics: outlines.flatMap((outline) => statisticsOf(outline, granuleRows) ?? []),
      createdAt: new Date().toISOString(),
    },
  };
}

function layoutOf(options: HeaderOptions, uncompressedBytes: number, bodyBytes: number): TabletLayout {
  if (options.formatVersion < 3 || uncompressedBytes >= options.minBytesForWide) return 'wide';
  return bodyBytes <= MAX_INLINE_BYTES ? 'subcompact' : 'compact';
}

function trailerOf(footer: Uint8Array): Buffer {
  const trailer = Buffer.alloc(TRAILER_BYTES);
  trailer.writeUInt32LE(footer.length);
  trailer.write(PARQUET_MAGIC, 4, 'latin1');
  return trailer;
}
