import type { Tablet } from '@tessera/catalog';
import { quoteText } from '@tessera/kernel';
import type { OutputShape } from '@tessera/shuffle';

/** What a task with a sink leaves: a row for each tablet. */
export const TABLET_ROWS: OutputShape = { columns: [{ name: 'tablet', type: 'VARCHAR' }], hashKeys: [] };

export function tabletsSql(tablets: readonly Tablet[]): string {
  const rows = tablets.map((tablet) => quoteText(JSON.stringify(tablet))).join(', ');
  return `SELECT CAST(unnest([${rows}]) AS VARCHAR) AS tablet`;
}

/** A tablet that a task wrote, by its row. */
export const tabletOfRow = (row: string): Tablet => JSON.parse(row) as Tablet;
