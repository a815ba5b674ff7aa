import { mkdirSync, statSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Column, ObjectId, TableObject, Tablet, TabletId } from '@tessera/catalog';
import { newUlid } from '@tessera/common';
import type { Fixture } from './fixture.ts';

/** A table of columns `name: type`. */
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

/** A tablet of the table with the rows of `sql` (all columns, by their names in the table), in the store. */
export async function storeTablet(fixture: Fixture, table: TableObject, sql: string): Promise<Tablet> {
  const id = newUlid() as TabletId;
  const path = join(fixture.directory, 'staged', `${id}.parquet`);
  mkdirSync(join(fixture.directory, 'staged'), { recursive: true });
  const columns = table.columns.map((c) => `CAST("${c.name}" AS ${c.type}) AS "${c.storedName}"`);
  const rows = await fixture.session.execute(
    `COPY (SELECT ${columns.join(', ')} FROM (${sql})) TO '${path}' (FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE ${table.indexGranularity})`,
  );
  const key = `tablets/${table.id}/${id}.parquet`;
  await fixture.store.putFile(key, path);
  const bytes = statSync(path).size;
  await rm(path);
  return {
    id,
    tableId: table.id,
    schemaVersion: table.schemaVersion,
    layout: 'compact',
    key,
    rows,
    bytes,
    uncompressedBytes: bytes,
    granules: Math.ceil(rows / table.indexGranularity),
    headerOffset: 0,
    footerOffset: 0,
    tailCrc32c: 0,
    partition: [],
    statistics: [],
    createdAt: new Date().toISOString(),
  };
}
