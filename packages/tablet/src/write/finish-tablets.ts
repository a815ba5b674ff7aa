import type { KeyValue } from '../header/hybrid-header.ts';
import { BodyFile } from './body-file.ts';
import { BodySlice } from './body-slice.ts';
import { divideBody } from './divide-body.ts';
import { firstKeys } from './first-keys.ts';
import { type ColumnOutline, outlineOf } from './granule-columns.ts';
import { checkSorted } from './sortedness.ts';
import { tabletContent } from './tablet-content.ts';
import type { WriteOptions, WrittenTablet } from './write-options.ts';

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
  const { groups, shift, end, path } = slice;
  const outlines = options.table.columns.map((column) => outlineOf(column, groups, shift));
  checkSorted(options.table, keys, outlines);
  const sums = await movedSums(outlines, slice);
  const footer = slice.footer();
  const { tail, tablet } = await tabletContent(
    { groups, outlines, sums, keys, end, footer, partition },
    options,
  );
  await slice.finish(tail);
  if (tablet.layout !== 'subcompact') return { path, tablet };
  return { path, tablet: { ...tablet, inline: slice.content().toString('base64') } };
}

/** Moves the bytes of a slice and returns the checksums of the granules of each column. */
async function movedSums(outlines: readonly ColumnOutline[], slice: BodySlice): Promise<number[][]> {
  const places = outlines
    .flatMap((outline, column) => outline.granules.map((range, granule) => ({ column, granule, range })))
    .sort((a, b) => a.range.offset - b.range.offset);
  const sums = await slice.move(places.map((place) => place.range));
  const byColumn = outlines.map((outline) => outline.granules.map(() => 0));
  for (const [i, { column, granule }] of places.entries()) byColumn[column]![granule] = sums[i]!;
  return byColumn;
}
