import { open } from 'node:fs/promises';
import { crc32c } from '@node-rs/crc32';
import type { ColumnStatistics, TableObject, TabletId } from '@tessera/catalog';
import { newUlid } from '@tessera/common';
import { FooterDocument, type ParquetFooter } from '../body/parquet-footer.ts';
import { orderOfType } from '../values/order.ts';
import { parseType } from '../values/parse-type.ts';
import { lowerBound, upperBound } from '../values/plain-value.ts';
import type { WriteOptions, WrittenTablet } from './tablet-writer.ts';

const TRAILER_BYTES = 8;

export async function finishTablet(path: string, options: WriteOptions): Promise<WrittenTablet> {
  const file = await open(path, 'r+');
  try {
    const { size } = await file.stat();
    const trailer = Buffer.alloc(TRAILER_BYTES);
    await file.read(trailer, 0, TRAILER_BYTES, size - TRAILER_BYTES);
    const footerOffset = size - TRAILER_BYTES - trailer.readUInt32LE(0);
    const tail = Buffer.alloc(size - footerOffset);
    await file.read(tail, 0, tail.length, footerOffset);
    const footer = FooterDocument.decode(tail.subarray(0, -TRAILER_BYTES)).read();
    const chunks = footer.rowGroups.flatMap((group) => group.chunks);
    return {
      path,
      tablet: {
        id: newUlid() as TabletId,
        tableId: options.table.id,
        schemaVersion: options.table.schemaVersion,
        layout: 'compact',
        rows: footer.rows,
        bytes: size,
        uncompressedBytes: chunks.reduce((sum, chunk) => sum + chunk.uncompressedBytes, 0),
        granules: footer.rowGroups.length,
        headerOffset: footerOffset,
        footerOffset,
        tailCrc32c: crc32c(tail),
        partition: [],
        statistics: options.table.columns.map((column) => columnStatistics(column, footer)),
        createdAt: new Date().toISOString(),
      },
    };
  } finally {
    await file.close();
  }
}

function columnStatistics(column: TableObject['columns'][number], footer: ParquetFooter): ColumnStatistics {
  const type = parseType(column.type);
  const order = type === undefined ? undefined : orderOfType(type);
  let nulls = 0;
  let min: string | undefined;
  let max: string | undefined;
  let known = order !== undefined;
  for (const group of footer.rowGroups) {
    const chunk = group.chunks.find(({ path }) => path.length === 1 && path[0] === column.storedName);
    const statistics = chunk?.statistics;
    nulls += statistics?.nulls ?? 0;
    if (statistics?.nulls === group.rows) continue;
    const low = statistics?.min === undefined ? undefined : lowerBound(type!, statistics.min);
    const high = statistics?.max === undefined ? undefined : upperBound(type!, statistics.max);
    if (low === undefined || high === undefined) known = false;
    if (!known) continue;
    if (min === undefined || order!.compare(order!.parse(low!)!, order!.parse(min)!) < 0) min = low;
    if (max === undefined || order!.compare(order!.parse(high!)!, order!.parse(max)!) > 0) max = high;
  }
  return {
    column: column.id,
    nulls,
    ...(known && min !== undefined && max !== undefined ? { min, max } : {}),
  };
}
