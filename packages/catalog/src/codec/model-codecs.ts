import {
  type CatalogObject,
  type Column,
  type ColumnStatistics,
  type Credential,
  type DeletionVector,
  FOREIGN_KEY_ACTIONS,
  type Grant,
  type IndexPartials,
  type Membership,
  type NodeProcess,
  type ObjectId,
  type PartialOf,
  type SequenceObject,
  type SkipFilter,
  type TableConstraint,
  type TableIndex,
  type Tablet,
  type TabletId,
} from '../model.ts';
import { PRIVILEGES } from '../privileges.ts';
import { type Codec, count, flag, id, list, nullable, oneOf, secretMap, text, timestamp } from './codec.ts';
import { optional, record, union } from './record.ts';

export const objectId: Codec<ObjectId> = id<ObjectId>();
export const tabletId: Codec<TabletId> = id<TabletId>();

const column: Codec<Column> = record<Column>({
  id: count,
  name: text,
  storedName: text,
  type: text,
  declared: optional(text),
  nullable: flag,
  defaultSql: optional(text),
  initialSql: optional(text),
  identity: optional(oneOf('always', 'by_default')),
  since: count,
});

const tableIndex: Codec<TableIndex> = record<TableIndex>({
  name: text,
  kind: oneOf('aggregating', 'skip'),
  expressions: list(text),
  createdAt: timestamp,
  partials: optional(record<IndexPartials>({ id: objectId, columns: list(column) })),
  filter: optional(
    union<SkipFilter>({ bloom_filter: { falsePositiveRate: text }, set: { maxValues: count } }),
  ),
});

const constraint: Codec<TableConstraint> = union<TableConstraint>({
  primary_key: { name: text, columns: list(count) },
  unique: { name: text, columns: list(count) },
  foreign_key: {
    name: text,
    columns: list(count),
    table: objectId,
    references: list(count),
    onUpdate: oneOf(...FOREIGN_KEY_ACTIONS),
    onDelete: oneOf(...FOREIGN_KEY_ACTIONS),
  },
  check: { name: text, sql: text },
});

const base = {
  id: objectId,
  name: text,
  createdAt: timestamp,
  alteredAt: timestamp,
  owner: text,
  description: optional(text),
  grants: optional(
    list(
      record<Grant>({
        privilege: oneOf(...PRIVILEGES),
        grantee: objectId,
        grantable: flag,
        grantor: text,
      }),
    ),
  ),
};

const memberOf = list(record<Membership>({ role: objectId, admin: flag, grantor: text }));

export const catalogObject: Codec<CatalogObject> = union<CatalogObject>({
  database: base,
  schema: {
    ...base,
    databaseId: objectId,
    temporaryOf: optional(record<NodeProcess>({ engine: text, node: text, process: text })),
  },
  table: {
    ...base,
    schemaId: objectId,
    tableType: oneOf('FACT', 'DIMENSION'),
    columns: list(column),
    primaryIndex: list(count),
    partitionBy: list(text),
    indexGranularity: count,
    schemaVersion: count,
    nextColumnId: count,
    location: optional(text),
    locationId: optional(objectId),
    indexes: list(tableIndex),
    constraints: optional(list(constraint)),
  },
  view: {
    ...base,
    schemaId: objectId,
    sql: text,
    columnNames: optional(list(text)),
    database: text,
    references: optional(list(objectId)),
  },
  external_table: {
    ...base,
    schemaId: objectId,
    columns: list(column),
    url: text,
    objectPattern: optional(text),
    format: oneOf('PARQUET', 'CSV', 'TSV', 'JSON', 'AVRO'),
    options: secretMap,
    locationId: optional(objectId),
  },
  sequence: {
    ...base,
    schemaId: objectId,
    type: oneOf('INTEGER', 'BIGINT'),
    start: text,
    increment: text,
    min: text,
    max: text,
    cycle: flag,
    cache: count,
    next: text,
    generation: text,
    ownedBy: optional(record<NonNullable<SequenceObject['ownedBy']>>({ tableId: objectId, columnId: count })),
  },
  location: {
    ...base,
    databaseId: objectId,
    source: oneOf('AMAZON_S3', 'GOOGLE_CLOUD_STORAGE', 'AZURE_BLOB_STORAGE', 'LOCAL'),
    url: text,
    credentials: secretMap,
  },
  user: {
    ...base,
    credential: optional(record<Credential>({ id: text, passwordHash: text, scramVerifier: text })),
    enabled: flag,
    memberOf,
    defaultDatabase: optional(text),
  },
  role: { ...base, memberOf },
});

const columnStatistics: Codec<ColumnStatistics> = record<ColumnStatistics>({
  column: count,
  min: optional(text),
  max: optional(text),
  nulls: count,
  distinct: optional(count),
});

export const tablet: Codec<Tablet> = record<Tablet>({
  id: tabletId,
  tableId: objectId,
  schemaVersion: count,
  layout: oneOf('wide', 'compact', 'subcompact'),
  key: optional(text),
  sharesKey: optional(oneOf(true)),
  inline: optional(text),
  rows: count,
  bytes: count,
  uncompressedBytes: count,
  granules: count,
  headerOffset: count,
  footerOffset: count,
  tailCrc32c: count,
  partition: list(nullable(text)),
  statistics: list(columnStatistics),
  createdAt: timestamp,
  partialOf: optional(record<PartialOf>({ tableId: objectId, tabletId, deletedRows: optional(count) })),
});

export const deletionVector: Codec<DeletionVector> = record<DeletionVector>({
  tabletId,
  tableId: objectId,
  rows: count,
  inline: optional(text),
  key: optional(text),
  sharesKey: optional(oneOf(true)),
});
