import type { Tablet } from '@tessera/catalog';
import { quoteText } from '@tessera/kernel';
import type { OutputShape } from '@tessera/shuffle';

/** The output of a task with a sink: one row per tablet. */
export const TABLET_ROWS: OutputShape = { columns: [{ name: 'tablet', type: 'VARCHAR' }], hashKeys: [] };

export function tabletsSql(tablets: readonly Tablet[]): string {
  const rows = tablets.map((tablet) => quoteText(JSON.stringify(tablet))).join(', ');
  return `SELECT CAST(unnest([${rows}]) AS VARCHAR) AS tablet`;
}

/** Parses the row of a tablet that a task wrote. */
export const tabletOfRow = (row: string): Tablet => JSON.parse(row) as Tablet;
