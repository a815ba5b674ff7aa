import { isTemporary } from '@tessera/catalog';
import type { SystemRelation } from '../facts/system-relation.ts';
import { aclOf } from './acl.ts';
import { tablesOfForeignKeys } from './constraints.ts';
import { rowTypeKey } from './object-oids.ts';
import {
  ADMIN_OID,
  type PostgresFacts,
  roleOid,
  type UserIndex,
  type UserRelation,
  userIndexes,
  userRelations,
} from './postgres-facts.ts';
import { catalogRelation, type Row } from './row.ts';
import { sequenceClasses } from './sequences.ts';
import { type DescribedRelation, systemRelations } from './system-relations.ts';

const HEAP = 2;
/** The access methods of indexes; all except `btree` are our own, which PostgreSQL does not have. */
export const INDEX_METHODS = { btree: 403, primary: 8001, aggregating: 8002, skip: 8003 } as const;

const KINDS = { table: 'r', view: 'v', external_table: 'f' } as const;

const PLAIN: Row = {
  reltype: 0,
  reloftype: 0,
  relam: 0,
  relfilenode: 0,
  reltablespace: 0,
  relpages: 0,
  reltuples: 0,
  relallvisible: 0,
  reltoastrelid: 0,
  relhasindex: false,
  relisshared: false,
  relpersistence: 'p',
  relchecks: 0,
  relhasrules: false,
  relhastriggers: false,
  relhassubclass: false,
  relrowsecurity: false,
  relforcerowsecurity: false,
  relispopulated: true,
  relreplident: 'd',
  relispartition: false,
  relrewrite: 0,
  relfrozenxid: 0,
  relminmxid: 0,
};

/**
 * `pg_class`: tables, views, external tables (PostgreSQL's foreign tables), indexes, and the system relations
 * of every database.
 */
export const classes = (facts: PostgresFacts): SystemRelation => catalogRelation('pg_class', rows(facts));

function* rows(facts: PostgresFacts): Generator<Row> {
  for (const relation of systemRelations()) yield systemRow(relation);
  const withForeignKeys = tablesOfForeignKeys(facts);
  for (const relation of userRelations(facts)) {
    yield { ...userRow(relation, facts), relhastriggers: withForeignKeys.has(relation.relation.id) };
  }
  for (const row of sequenceClasses(facts)) yield { ...PLAIN, ...row };
  for (const index of userIndexes(facts)) yield indexRow(index, facts);
}

const systemRow = ({ oid, name, schemaOid, kind, columns }: DescribedRelation): Row => ({
  ...PLAIN,
  oid,
  relname: name,
  relnamespace: schemaOid,
  relowner: ADMIN_OID,
  relkind: kind,
  relam: kind === 'r' ? HEAP : 0,
  relnatts: columns.length,
  relreplident: 'n',
});

function userRow({ oid, schemaOid, relation }: UserRelation, facts: PostgresFacts): Row {
  const { viewColumns, snapshot } = facts;
  const columns = relation.kind === 'view' ? (viewColumns.get(relation.id) ?? []) : relation.columns;
  return {
    ...PLAIN,
    oid,
    relname: relation.name,
    relnamespace: schemaOid,
    reltype: facts.oids.of(rowTypeKey(relation.id)),
    relowner: roleOid(facts, relation.owner),
    relkind: KINDS[relation.kind],
    relnatts: columns.length,
    relacl: aclOf(relation, snapshot),
    ...(isTemporary(snapshot, relation) ? { relpersistence: 't' } : {}),
    ...(relation.kind === 'view' ? { relhasrules: true } : {}),
    ...(relation.kind === 'external_table' ? { reltuples: -1 } : {}),
    ...(relation.kind === 'table'
      ? {
          ...sizes(facts, relation.id),
          relam: HEAP,
          relfilenode: oid,
          relhasindex:
            relation.primaryIndex.length + relation.indexes.length > 0 ||
            (relation.constraints ?? []).some(({ kind }) => kind === 'primary_key' || kind === 'unique'),
          relchecks: relation.constraints?.filter(({ kind }) => kind === 'check').length ?? 0,
        }
      : {}),
  };
}

const PAGE_BYTES = 8192;

function sizes({ snapshot }: PostgresFacts, table: Parameters<typeof snapshot.totals>[0]): Row {
  const { rows: stored, deletedRows, bytes } = snapshot.totals(table);
  return { reltuples: stored - deletedRows, relpages: Math.ceil(bytes / PAGE_BYTES) };
}

const indexRow = ({ oid, name, table, kind, places }: UserIndex, facts: PostgresFacts): Row => ({
  ...PLAIN,
  oid,
  relname: name,
  relnamespace: table.schemaOid,
  relowner: roleOid(facts, table.relation.owner),
  relkind: 'i',
  relam: INDEX_METHODS[kind],
  relfilenode: oid,
  relnatts: places.length,
  relreplident: 'n',
});
