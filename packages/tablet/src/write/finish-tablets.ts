import { crc32c } from '@node-rs/crc32';
import type { TabletId, TabletLayout } from '@tessera/catalog';
import { newUlid } from '@tessera/common';
import { encodeHeader } from '../header/encode-header.ts';
import type { HeaderColumn, KeyValue } from '../header/hybrid-header.ts';
import type { HeaderOptions } from '../header-options.ts';
import { BodyFile, PARQUET_MAGIC, TRAILER_BYTES } from './body-file.ts';
import { BodySlice } from './body-slice.ts';
import { divideBody } from './divide-body.ts';
import { firstKeys } from './first-keys.ts';
import { type ColumnOutline, outlineOf, statisticsOf } from './granule-columns.ts';
import { checkSorted } from './sortedness.ts';
import type { WriteOptions, WrittenTablet } from './write-options.ts';

/** A tablet with a smaller body is stored in the commit itself. */
const MAX_INLINE_BYTES = 64 * 1024;

/**
 * Turns a Parquet body into tablets: divides it by size and puts the Hybrid Header before each footer. The
 * body's file becomes one of the tablets. It is cut from its end, so that the disk never holds much more than
 * before.
 */
export async function* finishTablets(
  path: string,
  partition: readonly (string | null)[],
  options: WriteOptions,
): AsyncGenerator<WrittenTablet, void> {
  const { table, session, signal } = options;
  const body = await BodyFile.open(path);
  try {
    const { rowGroups } = body.footer;
    const keys = table.primaryIndex.length === 0 ? [] : await firstKeys(session, table, path, rowGroups);
    for (const division of divideBody(rowGroups, options.minBytes, options.maxBytes).reverse()) {
      signal.throwIfAborted();
      const slice = new BodySlice(body, division);
      yield await finishTablet(slice, keys.slice(division.from, division.to), partition, options);
    }
  } finally {
    await body.close();
  }
}

async function finishTablet(
  slice: BodySlice,
  keys: readonly (readonly KeyValue[])[],
  partition: readonly (string | null)[],
  options: WriteOptions,
): Promise<WrittenTablet> {
  const { table } = options;
  const outlines = table.columns.map((column) => outlineOf(column, slice.groups, slice.shift));
  checkSorted(table, keys, outlines);
  const columns = await withSums(outlines, slice);
  const granuleRows = slice.groups.map((group) => group.rows);
  const rows = granuleRows.reduce((sum, n) => sum + n, 0);
  const chunks = slice.groups.flatMap((group) => group.chunks);
  const uncompressedBytes = chunks.reduce((sum, chunk) => sum + chunk.uncompressedBytes, 0);
  const footer = slice.footer();
  const layout = layoutOf(options.header, uncompressedBytes, slice.end + footer.length + TRAILER_BYTES);
  const header = await encodeHeader(
    {
      formatVersion: options.header.formatVersion,
      layout,
      tableId: table.id,
      schemaVersion: table.schemaVersion,
      rows,
      granuleRows,
      columns,
      partition,
      primaryIndex: { columns: keys.length === 0 ? [] : table.primaryIndex, keys },
    },
    {
      method: options.header.formatVersion === 1 ? 'none' : options.header.compression,
      level: options.header.compressionLevel,
    },
  );
  const tail = Buffer.concat([header, footer, trailerOf(footer)]);
  await slice.finish(tail);
  return {
    path: slice.path,
    tablet: {
      id: newUlid() as TabletId,
      tableId: table.id,
      schemaVersion: table.schemaVersion,
      layout,
      ...(layout === 'subcompact' ? { inline: slice.content().toString('base64') } : {}),
      rows,
      bytes: slice.end + tail.length,
      uncompressedBytes,
      granules: granuleRows.length,
      headerOffset: slice.end,
      footerOffset: slice.end + header.length,
      tailCrc32c: crc32c(tail),
      partition,
      statistics: outlines.flatMap((outline) => statisticsOf(outline, granuleRows) ?? []),
      createdAt: new Date().toISOString(),
    },
  };
}

async function withSums(outlines: readonly ColumnOutline[], slice: BodySlice): Promise<HeaderColumn[]> {
  const places = outlines
    .flatMap((outline, column) => outline.granules.map((range, granule) => ({ column, granule, range })))
    .sort((a, b) => a.range.offset - b.range.offset);
  const sums = await slice.move(places.map((place) => place.range));
  const byColumn = outlines.map((outline) => outline.granules.map(() => 0));
  for (const [i, { column, granule }] of places.entries()) byColumn[column]![granule] = sums[i]!;
  return outlines.map((outline, column) => ({
    ...outline,
    granules: outline.granules.map((granule, i) => ({ ...granule, crc32c: byColumn[column]![i]! })),
  }));
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
