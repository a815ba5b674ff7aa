import { mkdirSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Column, ObjectId, TableObject, Tablet } from '@tessera/catalog';
import { newUlid } from '@tessera/common';
import { DeletedRows, type HeaderOptions, vectorContent, writeTablets } from '@tessera/tablet';
import type { ScanTablet } from '../storage-agent.ts';
import type { Fixture } from './fixture.ts';

/** A table with columns `name: type`. */
export function testTable(name: string, columns: Readonly<Record<string, string>>): TableObject {
  const now = new Date().toISOString();
  return {
    kind: 'table',
    id: newUlid() as ObjectId,
    name,
    createdAt: now,
    alteredAt: now,
    owner: 'test',
    schemaId: newUlid() as ObjectId,
    tableType: 'FACT',
    columns: Object.entries(columns).map(
      ([column, type], i): Column => ({
        id: i + 1,
        name: column,
        storedName: `${column}_stored`,
        type,
        nullable: true,
        since: 1,
      }),
    ),
    primaryIndex: [],
    partitionBy: [],
    indexGranularity: 2048,
    schemaVersion: 1,
    nextColumnId: Object.keys(columns).length + 1,
    indexes: [],
  };
}

const COMPACT: HeaderOptions = {
  formatVersion: 3,
  compression: 'zstd',
  compressionLevel: 1,
  minBytesForWide: 100_000_000,
};
export const WIDE: HeaderOptions = { ...COMPACT, formatVersion: 2 };

/**
 * Stores the rows of `sql` (all columns, by their names in the table) as one tablet, in the store or inline.
 */
export async function storeTablet(
  fixture: Fixture,
  table: TableObject,
  sql: string,
  header: HeaderOptions = COMPACT,
): Promise<Tablet> {
  const directory = join(fixture.directory, 'staged', newUlid());
  mkdirSync(directory, { recursive: true });
  const columns = table.columns.map((c) => `CAST("${c.name}" AS ${c.type}) AS "${c.storedName}"`);
  const written: Tablet[] = [];
  for await (const { path, tablet } of writeTablets({
    session: fixture.session,
    table,
    sql: `SELECT ${columns.join(', ')} FROM (${sql})`,
    partitionSql: [],
    directory,
    minBytes: 1e9,
    maxBytes: 2e9,
    header,
    signal: new AbortController().signal,
  })) {
    const key = `tablets/${table.id}/${tablet.id}.parquet`;
    if (tablet.layout === 'subcompact') written.push(tablet);
    else {
      await fixture.store.putFile(key, path);
      written.push({ ...tablet, key });
    }
  }
  await rm(directory, { recursive: true });
  if (written.length !== 1) throw new Error(`${written.length} tablets`);
  return written[0]!;
}

/** The tablet with a deletion vector for the rows at the positions. */
export function withoutRows(tablet: Tablet, positions: Iterable<number>): ScanTablet {
  const content = vectorContent(DeletedRows.of(positions));
  if (!('inline' in content)) throw new Error('Too many rows for an inline vector');
  return { tablet, vector: { tabletId: tablet.id, tableId: tablet.tableId, ...content } };
}
