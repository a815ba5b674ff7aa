import { ADMIN_ROLE, type RelationObject, type SchemaObject, type TableObject } from '@tessera/catalog';
import { quoteIdentifier } from '@tessera/sql';
import { relationsOfDatabase, schemasOfDatabase } from '../information-schema/relations-of-database.ts';
import type { SystemFacts } from '../information-schema/system-facts.ts';
import { indexKey, type ObjectOids, objectOids } from './object-oids.ts';

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
  readonly kind: 'primary' | 'aggregating' | 'skip';
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
    if (relation.primaryIndex.length > 0) yield primaryIndex(facts, table, relation);
    for (const { name, kind, expressions } of relation.indexes) {
      const oid = facts.oids.of(indexKey(relation.id, name));
      yield { oid, name, table, kind, expressions, places: expressions.map((e) => placeOf(relation, e)) };
    }
  }
}

/** A name of its own: tables and indexes share one namespace in PostgreSQL. */
function primaryIndex(facts: PostgresFacts, table: UserRelation, relation: TableObject): UserIndex {
  const places = relation.primaryIndex.map((id) => 1 + relation.columns.findIndex((c) => c.id === id));
  return {
    oid: facts.oids.of(indexKey(relation.id, '')),
    name: `${relation.name}_primary_index`,
    table,
    kind: 'primary',
    expressions: places.map((place) => quoteIdentifier(relation.columns[place - 1]!.name)),
    places,
  };
}

const placeOf = ({ columns }: TableObject, expression: string): number =>
  1 + columns.findIndex(({ name }) => quoteIdentifier(name) === expression || name === expression);

/** As `pg_get_indexdef` answers. */
export const indexDefinition = ({ name, table, kind, expressions }: UserIndex): string =>
  `CREATE INDEX ${quoteIdentifier(name)} ON ${quoteIdentifier(table.schema.name)}.${quoteIdentifier(table.relation.name)} USING ${kind} (${expressions.join(', ')})`;

/** The user or role of a name: names that nobody has (where authentication is disabled) have OIDs too. */
export const roleOid = ({ snapshot, oids }: PostgresFacts, name: string): number => {
  const principal = snapshot.principal(name);
  if (principal?.id === ADMIN_ROLE.id) return ADMIN_OID;
  return principal === undefined ? oids.ofName(name) : oids.of(principal.id);
};
