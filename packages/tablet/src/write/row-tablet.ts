import { crc32c } from '@node-rs/crc32';
import type { TableObject, Tablet } from '@tessera/catalog';
import type { HeaderOptions } from '../header-options.ts';
import { parseType } from '../values/parse-type.ts';
import { keyColumns } from './copy-rows.ts';
import { keysFromStatistics } from './first-keys.ts';
import { outlineOf } from './granule-columns.ts';
import { type RowColumn, type RowValue, rowBody } from './row-body.ts';
import { tabletContent } from './tablet-content.ts';

/**
 * Makes a tablet of one row without the kernel, stored in the commit itself. Undefined if the kernel has to write it: the
 * table has partitions or a column of another type, or the row is too large for the commit.
 * @param values the values of all columns of the table, in order
 */
export async function rowTablet(
  table: TableObject,
  values: readonly RowValue[],
  header: HeaderOptions,
): Promise<Tablet | undefined> {
  if (table.partitionBy.length > 0) return undefined;
  const columns = rowColumns(table, values);
  const body = columns && rowBody(columns);
  if (body === undefined) return undefined;
  const groups = [body.group];
  const keys = table.primaryIndex.length === 0 ? [] : keysFromStatistics(keyColumns(table), groups);
  if (keys === undefined) return undefined;
  const outlines = table.columns.map((column) => outlineOf(column, groups, 0));
  const { content, footer } = body;
  const end = content.length;
  const sums = outlines.map(({ granules }) =>
    granules.map(({ offset, bytes }) => crc32c(content.subarray(offset, offset + bytes))),
  );
  const { tail, tablet } = await tabletContent(
    { groups, outlines, sums, keys, end, footer, partition: [] },
    { table, header },
  );
  if (tablet.layout !== 'subcompact') return undefined;
  return { ...tablet, inline: Buffer.concat([content, tail]).toString('base64') };
}

function rowColumns(table: TableObject, values: readonly RowValue[]): RowColumn[] | undefined {
  const columns: RowColumn[] = [];
  for (const [i, { storedName: name, type: sql }] of table.columns.entries()) {
    const type = parseType(sql);
    if (type === undefined) return undefined;
    columns.push({ name, type, value: values[i]! });
  }
  return columns;
}
