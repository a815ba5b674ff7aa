import type { Privilege } from '@tessera/catalog';
import { isTemporaryName } from '@tessera/catalog';
import { quoteName } from '@tessera/kernel';
import { type Lookup, POSTGRES_SETTINGS, quoteIdentifier } from '@tessera/sql';
import { POSTGRES_TYPES, postgresType } from '../facts/postgres-types.ts';
import { databasesOf } from '../facts/relations-of-database.ts';
import {
  columnsOf,
  type SystemRelation,
  type SystemType,
  type SystemValue,
} from '../facts/system-relation.ts';
import { TYPE_FUNCTIONS } from '../facts/type-lines.ts';
import { attributes } from './attributes.ts';
import { constraintDefinitions } from './constraints.ts';
import { descriptions, sharedDescriptions } from './descriptions.ts';
import { allClasses, allNamespaces, type NamedOid } from './named-oids.ts';
import { rowTypeKey } from './object-oids.ts';
import {
  indexDefinition,
  type PostgresFacts,
  schemaOid,
  userIndexes,
  userRelations,
  userSchemas,
} from './postgres-facts.ts';
import { viewDefinition } from './relation-views.ts';
import { rolesOf } from './roles.ts';
import { signatures } from './routines.ts';

type Pair = readonly [key: SystemValue, value: SystemValue];

interface LookupRelation {
  readonly key: SystemType;
  readonly value: SystemType;
  readonly pairs: (facts: PostgresFacts) => Iterable<Pair>;
}

const nameOf = (pairs: LookupRelation['pairs']): LookupRelation => ({
  key: 'UINTEGER',
  value: 'VARCHAR',
  pairs,
});
const oidOf = (pairs: LookupRelation['pairs']): LookupRelation => ({
  key: 'VARCHAR',
  value: 'UINTEGER',
  pairs,
});

/**
 * The schemas in which unqualified names are looked up. Of the temporary schemas, a session only sees its
 * own.
 */
const isInSearchPath = (schema: string): boolean =>
  schema === 'pg_catalog' || schema === 'public' || isTemporaryName(schema);

/** Keeps the first of several pairs with the same key. */
function* unique(pairs: Iterable<Pair>): Generator<Pair> {
  const seen = new Set<SystemValue>();
  for (const pair of pairs) {
    if (seen.has(pair[0])) continue;
    seen.add(pair[0]);
    yield pair;
  }
}

function* relationOids(facts: PostgresFacts): Generator<Pair> {
  for (const { schema, name, oid } of allClasses(facts)) {
    if (isInSearchPath(schema)) {
      yield [quoteIdentifier(name), oid];
      yield [quoteName(name), oid];
    }
    yield [`${quoteIdentifier(schema)}.${quoteIdentifier(name)}`, oid];
    yield [`${quoteName(schema)}.${quoteName(name)}`, oid];
  }
}

/** The name of an object of a schema, which is qualified if the schema is not in the search path. */
const shownName = (schema: string, name: string): string =>
  isInSearchPath(schema) ? quoteIdentifier(name) : `${quoteIdentifier(schema)}.${quoteIdentifier(name)}`;

const relationNames = (facts: PostgresFacts): Iterable<Pair> =>
  allClasses(facts).map(({ schema, name, oid }) => [oid, shownName(schema, name)]);

function* typeNames(facts: PostgresFacts): Generator<Pair> {
  for (const { oid, sqlName } of POSTGRES_TYPES) yield [oid, sqlName];
  for (const { schema, relation } of userRelations(facts))
    yield [facts.oids.of(rowTypeKey(relation.id)), shownName(schema.name, relation.name)];
}

const names = (of: (facts: PostgresFacts) => readonly NamedOid[]): LookupRelation =>
  nameOf((facts) => of(facts).map(({ name, oid }) => [oid, quoteIdentifier(name)]));

const oids = (of: (facts: PostgresFacts) => readonly NamedOid[]): LookupRelation =>
  oidOf((facts) =>
    of(facts).flatMap(({ name, oid }): Pair[] => [
      [quoteIdentifier(name), oid],
      [quoteName(name), oid],
    ]),
  );

function* indexDefinitions(facts: PostgresFacts): Generator<Pair> {
  for (const index of userIndexes(facts)) {
    yield [String(index.oid), indexDefinition(index)];
    yield [`${index.oid}/0`, indexDefinition(index)];
    for (const [i, expression] of index.expressions.entries()) yield [`${index.oid}/${i + 1}`, expression];
  }
}

const CATALOGS: Readonly<Record<number, string>> = {
  1259: 'pg_class',
  2615: 'pg_namespace',
  1262: 'pg_database',
};

function* described(facts: PostgresFacts): Generator<Pair> {
  for (const { columns, rows } of [descriptions(facts), sharedDescriptions(facts)]) {
    const at = (name: string) => columns.findIndex((column) => column.name === name);
    for (const row of rows) {
      const catalog = CATALOGS[row[at('classoid')] as number];
      yield [`${catalog}/${row[at('objoid')]}`, row[at('description')]];
    }
  }
}

const OF_RELATIONS: readonly Privilege[] = ['SELECT', 'INSERT', 'UPDATE', 'DELETE', 'TRUNCATE', 'VACUUM'];

function* privileges(facts: PostgresFacts): Generator<Pair> {
  const { rights, snapshot } = facts;
  for (const { oid, relation } of userRelations(facts)) {
    for (const privilege of OF_RELATIONS)
      if (rights.may(privilege, relation)) yield [`relation/${oid}/${privilege}`, true];
  }
  for (const { oid, isOfSystem } of allClasses(facts)) if (isOfSystem) yield [`relation/${oid}/SELECT`, true];
  for (const { oid, isOfSystem } of allNamespaces(facts)) if (isOfSystem) yield [`schema/${oid}/USAGE`, true];
  for (const schema of userSchemas(facts)) {
    for (const privilege of ['USAGE', 'CREATE'] as const)
      if (rights.may(privilege, schema)) yield [`schema/${schemaOid(facts, schema)}/${privilege}`, true];
  }
  for (const database of snapshot.databases()) {
    for (const privilege of ['USAGE', 'CREATE'] as const) {
      if (!rights.may(privilege, database)) continue;
      yield [`database/${database.name}/${privilege}`, true];
      yield [`database/${facts.oids.of(database.id)}/${privilege}`, true];
    }
  }
}

function* columnsOfRelations(facts: PostgresFacts): Generator<Pair> {
  const { columns, rows } = attributes(facts);
  const [relation, name, number] = ['attrelid', 'attname', 'attnum'].map((wanted) =>
    columns.findIndex((column) => column.name === wanted),
  ) as [number, number, number];
  for (const row of rows) {
    yield [`${row[relation]}/${row[name]}`, true];
    yield [`${row[relation]}/${row[number]}`, true];
  }
}

function* databaseBytes(facts: PostgresFacts): Generator<Pair> {
  for (const database of databasesOf(facts)) {
    const relations = facts.snapshot.schemas(database.id).flatMap((s) => facts.snapshot.relations(s.id));
    const bytes = relations.reduce(
      (sum, { id, kind }) => sum + (kind === 'table' ? facts.snapshot.totals(id).bytes : 0),
      0,
    );
    yield [database.name, bytes];
    yield [String(facts.oids.of(database.id)), bytes];
  }
}

function* serialSequences(facts: PostgresFacts): Generator<Pair> {
  const relations = new Map([...userRelations(facts)].map((one) => [one.relation.id, one]));
  for (const schema of userSchemas(facts)) {
    for (const { name, ownedBy } of facts.snapshot.sequences(schema.id)) {
      const owner = ownedBy && relations.get(ownedBy.tableId);
      if (owner?.relation.kind !== 'table') continue;
      const column = owner.relation.columns.find(({ id }) => id === ownedBy?.columnId);
      if (column === undefined) continue;
      yield [`${owner.oid}/${column.name}`, `${quoteIdentifier(schema.name)}.${quoteIdentifier(name)}`];
    }
  }
}

const routineNames = (): readonly NamedOid[] => [
  ...Object.entries(TYPE_FUNCTIONS).map(([name, oid]) => ({ name, oid })),
  ...signatures(),
];

/** Additional names of types in SQL. */
const TYPE_ALIASES: Readonly<Record<string, string>> = {
  char: 'bpchar',
  dec: 'numeric',
  decimal: 'numeric',
  float: 'float8',
  int: 'int4',
};

const RELATIONS: Readonly<Record<Lookup, LookupRelation>> = {
  relation_oid: oidOf(relationOids),
  relation_name: nameOf(relationNames),
  relation_visible: {
    key: 'UINTEGER',
    value: 'BOOLEAN',
    pairs: (facts) =>
      allClasses(facts)
        .filter(({ schema }) => isInSearchPath(schema))
        .map(({ oid }) => [oid, true]),
  },
  relation_bytes: {
    key: 'UINTEGER',
    value: 'BIGINT',
    pairs: (facts) =>
      [...userRelations(facts)].map(({ oid, relation }) => [
        oid,
        relation.kind === 'table' ? facts.snapshot.totals(relation.id).bytes : 0,
      ]),
  },
  column_exists: { key: 'VARCHAR', value: 'BOOLEAN', pairs: columnsOfRelations },
  type_oid: oidOf(() => [
    ...POSTGRES_TYPES.flatMap(({ name, sqlName, oid }): Pair[] => [
      [name, oid],
      [sqlName, oid],
      [`pg_catalog.${name}`, oid],
      [`"${name}"`, oid],
      [`"pg_catalog"."${name}"`, oid],
    ]),
    ...Object.entries(TYPE_ALIASES).map(([alias, name]): Pair => [alias, postgresType(name).oid]),
  ]),
  type_name: nameOf(typeNames),
  namespace_oid: oids(allNamespaces),
  namespace_name: names(allNamespaces),
  role_oid: oids(rolesOf),
  role_name: nameOf((facts) => rolesOf(facts).map(({ oid, name }) => [oid, name])),
  routine_oid: oids(routineNames),
  routine_name: names(routineNames),
  routine_result: nameOf(() => [...signatures()].map(({ oid, result }) => [oid, result])),
  routine_arguments: nameOf(() => [...signatures()].map(({ oid, parameters }) => [oid, parameters])),
  database_bytes: { key: 'VARCHAR', value: 'BIGINT', pairs: databaseBytes },
  view_definition: nameOf((facts) =>
    [...userRelations(facts)].flatMap(({ oid, relation }): Pair[] =>
      relation.kind === 'view' ? [[oid, viewDefinition(relation.sql)]] : [],
    ),
  ),
  constraint_definition: { key: 'UINTEGER', value: 'VARCHAR', pairs: constraintDefinitions },
  index_definition: { key: 'VARCHAR', value: 'VARCHAR', pairs: indexDefinitions },
  serial_sequence: { key: 'VARCHAR', value: 'VARCHAR', pairs: serialSequences },
  description: { key: 'VARCHAR', value: 'VARCHAR', pairs: described },
  privilege: { key: 'VARCHAR', value: 'BOOLEAN', pairs: privileges },
  setting: {
    key: 'VARCHAR',
    value: 'VARCHAR',
    pairs: () => Object.entries(POSTGRES_SETTINGS).map(([name, value]) => [name.toLowerCase(), value]),
  },
};

/** The relation that serves lookups of functions: columns `$key` and `$value`, with unique keys. */
export function lookupRows(lookup: Lookup, facts: PostgresFacts): SystemRelation {
  const { key, value, pairs } = RELATIONS[lookup];
  return { columns: columnsOf(['$key', key], ['$value', value]), rows: unique(pairs(facts)) };
}
