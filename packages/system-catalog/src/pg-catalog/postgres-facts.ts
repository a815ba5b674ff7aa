import {
  ADMIN_ROLE,
  type KeyConstraint,
  type RelationObject,
  type SchemaObject,
  type TableConstraint,
  type TableObject,
} from '@tessera/catalog';
import { quoteIdentifier } from '@tessera/sql';
import { relationsOfDatabase, schemasOfDatabase } from '../facts/relations-of-database.ts';
import type { SystemFacts } from '../facts/system-facts.ts';
import { indexKey, keyIndexKey, type ObjectOids, objectOids } from './object-oids.ts';

export const PG_CATALOG_OID = 11;
const PUBLIC_SCHEMA_OID = 2200;
export const INFORMATION_SCHEMA_OID = 13_207;
/**
 * The OID of the role `system_admin`, which owns the system objects: that of PostgreSQL's first superuser.
 */
export const ADMIN_OID = 10;

/** All facts that relations of `pg_catalog` are made from. */
export interface PostgresFacts extends SystemFacts {
  readonly oids: ObjectOids;
}

export interface UserRelation {
  readonly oid: number;
  readonly schema: SchemaObject;
  readonly schemaOid: number;
  readonly relation: RelationObject;
}

export interface UserIndex {
  readonly oid: number;
  readonly name: string;
  readonly table: UserRelation;
  /** `btree` is what clients expect for a PRIMARY KEY or UNIQUE constraint; no such structure exists. */
  readonly kind: 'primary' | 'aggregating' | 'skip' | 'btree';
  /** Whether it represents a primary key. */
  readonly isPrimaryKey: boolean;
  /** The expressions, in the dialect. */
  readonly expressions: readonly string[];
  /** The positions of the columns in the table, from 1; 0 for an expression. */
  readonly places: readonly number[];
}

export const postgresFacts = (facts: SystemFacts): PostgresFacts => ({
  ...facts,
  oids: objectOids(facts.snapshot, facts.database),
});

export const schemaOid = ({ oids }: PostgresFacts, schema: SchemaObject): number =>
  schema.name === 'public' ? PUBLIC_SCHEMA_OID : oids.of(schema.id);

/** The schemas of the database that the user may see. */
export const userSchemas = (facts: PostgresFacts): readonly SchemaObject[] => [...schemasOfDatabase(facts)];

/** The tables, views and external tables that the user may see. */
export function* userRelations(facts: PostgresFacts): Generator<UserRelation> {
  for (const { schema, relation } of relationsOfDatabase(facts)) {
    yield { oid: facts.oids.of(relation.id), schema, schemaOid: schemaOid(facts, schema), relation };
  }
}

export function* userIndexes(facts: PostgresFacts): Generator<UserIndex> {
  for (const table of userRelations(facts)) {
    const { relation } = table;
    if (relation.kind !== 'table') continue;
    const keys = (relation.constraints ?? []).filter(isKey);
    for (const key of keys) yield keyIndex(facts, table, relation, key);
    // A primary key that is also the primary index is shown once.
    const isKeyed = keys.some(({ columns }) => columns.join() === relation.primaryIndex.join());
    if (relation.primaryIndex.length > 0 && !isKeyed) yield primaryIndex(facts, table, relation);
    for (const { name, kind, expressions } of relation.indexes) {
      const oid = facts.oids.of(indexKey(relation.id, name));
      const places = expressions.map((e) => placeOf(relation, e));
      yield { oid, name, table, kind, isPrimaryKey: false, expressions, places };
    }
  }
}

const isKey = (constraint: TableConstraint): constraint is KeyConstraint =>
  constraint.kind === 'primary_key' || constraint.kind === 'unique';

const keyIndex = (
  { oids }: PostgresFacts,
  table: UserRelation,
  relation: TableObject,
  { name, kind, columns }: KeyConstraint,
): UserIndex => ({
  oid: oids.of(keyIndexKey(relation.id, name)),
  name,
  table,
  kind: 'btree',
  isPrimaryKey: kind === 'primary_key',
  ...indexedColumns(relation, columns),
});

/** A generated name: tables and indexes share one namespace in PostgreSQL. */
function primaryIndex(facts: PostgresFacts, table: UserRelation, relation: TableObject): UserIndex {
  return {
    oid: facts.oids.of(indexKey(relation.id, '')),
    name: `${relation.name}_primary_index`,
    table,
    kind: 'primary',
    isPrimaryKey: false,
    ...indexedColumns(relation, relation.primaryIndex),
  };
}

function indexedColumns(
  { columns }: TableObject,
  ids: readonly number[],
): Pick<UserIndex, 'expressions' | 'places'> {
  const places = ids.map((id) => 1 + columns.findIndex((column) => column.id === id));
  return { expressions: places.map((place) => quoteIdentifier(columns[place - 1]!.name)), places };
}

const placeOf = ({ columns }: TableObject, expression: string): number =>
  1 + columns.findIndex(({ name }) => quoteIdentifier(name) === expression || name === expression);

/** The text that `pg_get_indexdef` returns. */
export const indexDefinition = ({ name, table, kind, expressions }: UserIndex): string =>
  `CREATE ${kind === 'btree' ? 'UNIQUE ' : ''}INDEX ${quoteIdentifier(name)} ON ${quoteIdentifier(table.schema.name)}.${quoteIdentifier(table.relation.name)} USING ${kind} (${expressions.join(', ')})`;

/**
 * The OID of the user or role with a name: unknown names, which occur without authentication, have OIDs too.
 */
export const roleOid = ({ snapshot, oids }: PostgresFacts, name: string): number => {
  const principal = snapshot.principal(name);
  if (principal?.id === ADMIN_ROLE.id) return ADMIN_OID;
  return principal === undefined ? oids.ofName(name) : oids.of(principal.id);
};
