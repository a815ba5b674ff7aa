import type { TableObject } from '@tessera/catalog';
import type { ScanTablet, StorageAgent } from '@tessera/storage-agent';
import { chunksOf } from '@tessera/tablet';

/** With more tablets, their headers are not read: the bytes are estimated from the fraction of columns. */
const MAX_HEADERS = 256;

/** The compressed bytes of some columns in the needed granules of tablets. */
export async function bytesToRead(
  agent: StorageAgent,
  table: TableObject,
  tablets: readonly ScanTablet[],
  columns: readonly number[],
  signal: AbortSignal,
): Promise<number> {
  const share = columns.length / Math.max(1, table.columns.length);
  const bytes = await Promise.all(
    tablets.map(async ({ tablet, granules }, i) => {
      if (i >= MAX_HEADERS || tablet.inline !== undefined) return Math.round(tablet.bytes * share);
      const header = await agent.header(table, tablet, signal);
      return chunksOf(header, columns, granules).reduce((sum, chunk) => sum + chunk.bytes, 0);
    }),
  );
  return bytes.reduce((sum, one) => sum + one, 0);
}
