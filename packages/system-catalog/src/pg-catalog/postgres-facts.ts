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
/** Of the role `system_admin`, which owns what every database has: that of PostgreSQL's first superuser. */
export const ADMIN_OID = 10;

/** Everything that relations of `pg_catalog` are made from. */
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
  /** `btree`: what clients expect behind a PRIMARY KEY or UNIQUE constraint; there is no such structure. */
  readonly kind: 'primary' | 'aggregating' | 'skip' | 'btree';
  /** Whether it stands for a primary key. */
  readonly isPrimaryKey: boolean;
  /** Expressions of the dialect. */
  readonly expressions: readonly string[];
  /** Places of the columns in the table from 1 on; 0 for an expression. */
  readonly places: readonly number[];
}

export const postgresFacts = (facts: SystemFacts): PostgresFacts => ({
  ...facts,
  oids: objectOids(facts.snapshot, facts.database),
});

export const schemaOid = ({ oids }: PostgresFacts, schema: SchemaObject): number =>
  schema.name === 'public' ? PUBLIC_SCHEMA_OID : oids.of(schema.id);

/** Schemas of the database that the user may see. */
export const userSchemas = (facts: PostgresFacts): readonly SchemaObject[] => [...schemasOfDatabase(facts)];

/** Tables, views and external tables that the user may see. */
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
    // A primary key that is the primary index too is shown once.
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

/** A name of its own: tables and indexes share one namespace in PostgreSQL. */
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

/** As `pg_get_indexdef` answers. */
export const indexDefinition = ({ name, table, kind, expressions }: UserIndex): string =>
  `CREATE ${kind === 'btree' ? 'UNIQUE ' : ''}INDEX ${quoteIdentifier(name)} ON ${quoteIdentifier(table.schema.name)}.${quoteIdentifier(table.relation.name)} USING ${kind} (${expressions.join(', ')})`;

/** The user or role of a name: names that nobody has (where authentication is disabled) have OIDs too. */
export const roleOid = ({ snapshot, oids }: PostgresFacts, name: string): number => {
  const principal = snapshot.principal(name);
  if (principal?.id === ADMIN_ROLE.id) return ADMIN_OID;
  return principal === undefined ? oids.ofName(name) : oids.of(principal.id);
};
