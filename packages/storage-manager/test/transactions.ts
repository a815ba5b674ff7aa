import { randomUUID } from 'node:crypto';
import {
  type Action,
  BOOTSTRAP_SCHEMA,
  type LocationObject,
  type ObjectId,
  type TableObject,
  type Tablet,
  type TabletId,
  type Transaction,
} from '@tessera/catalog';
import { asQueryId, newUlid } from '@tessera/common';
import type { ObjectStore } from '@tessera/object-store';
import type { StorageManager } from '../src/index.ts';

const TIME = '2026-01-01T00:00:00.000Z';

/** A table of one column, with `changes`. */
export function table(name: string, changes: Partial<TableObject> = {}): TableObject {
  return {
    kind: 'table',
    id: newUlid() as ObjectId,
    name,
    createdAt: TIME,
    alteredAt: TIME,
    owner: 'test',
    schemaId: BOOTSTRAP_SCHEMA.id,
    tableType: 'FACT',
    columns: [{ id: 1, name: 'a', storedName: 'a', type: 'BIGINT', nullable: true, since: 1 }],
    primaryIndex: [],
    partitionBy: [],
    indexGranularity: 122_880,
    schemaVersion: 1,
    nextColumnId: 2,
    indexes: [],
    ...changes,
  };
}

/** A LOCATION object at a URL, with credentials. */
export const location = (url: string): LocationObject => ({
  kind: 'location',
  id: newUlid() as ObjectId,
  name: 'located',
  createdAt: TIME,
  alteredAt: TIME,
  owner: 'test',
  databaseId: BOOTSTRAP_SCHEMA.databaseId,
  source: 'AMAZON_S3',
  url,
  credentials: { aws_access_key_id: 'a', aws_secret_access_key: 'b' },
});

/** A tablet whose object is in the store. */
export async function uploaded(store: ObjectStore, tableId: ObjectId): Promise<Tablet> {
  const uploaded = tablet(tableId);
  await store.put(uploaded.key!, new Uint8Array(8));
  return uploaded;
}

/** A tablet of one row, with `changes`. */
export function tablet(tableId: ObjectId, changes: Partial<Tablet> = {}): Tablet {
  const id = newUlid() as TabletId;
  const key = `tablets/${tableId}/${id}.parquet`;
  return {
    id,
    tableId,
    schemaVersion: 1,
    layout: 'compact',
    key,
    rows: 1,
    bytes: 8,
    uncompressedBytes: 8,
    granules: 1,
    headerOffset: 0,
    footerOffset: 0,
    tailCrc32c: 0,
    partition: [],
    statistics: [],
    createdAt: TIME,
    ...changes,
  };
}

/** A transaction based on the newest version. */
export async function transaction(manager: StorageManager, ...actions: Action[]): Promise<Transaction> {
  const { version: readVersion } = await manager.latest();
  const idempotencyKey = randomUUID();
  return { idempotencyKey, queryId: asQueryId(idempotencyKey), readVersion, actions };
}

export async function commit(manager: StorageManager, ...actions: Action[]): Promise<number> {
  return (await manager.commit(await transaction(manager, ...actions))).version;
}

export async function relationNames(manager: StorageManager): Promise<string[]> {
  return (await manager.latest()).relations(BOOTSTRAP_SCHEMA.id).map(({ name }) => name);
}
