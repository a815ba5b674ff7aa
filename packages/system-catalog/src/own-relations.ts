import { INFORMATION_SCHEMA, PG_CATALOG } from '@tessera/catalog';
import type { SqlType } from '@tessera/sql';
import type { SystemFacts } from './facts/system-facts.ts';
import type { ScalarType, SystemRelation, SystemType, SystemValue } from './facts/system-relation.ts';
import { readOnlyColumn } from './information-schema/columns.ts';
import { INFORMATION_SCHEMA_OID } from './pg-catalog/postgres-facts.ts';
import type { Row } from './pg-catalog/row.ts';
import { systemRelations } from './pg-catalog/system-relations.ts';

/**
 * Adds the relations of `information_schema` and `pg_catalog`, which every database has, to a view of
 * `information_schema` that lists relations or columns. Other views are returned unchanged.
 */
export function withOwnRelations(name: string, view: SystemRelation, facts: SystemFacts): SystemRelation {
  if (name === 'columns') return { columns: view.columns, rows: joined(ownColumns(facts), view.rows) };
  const listed = name === 'tables' ? ownTables(facts) : name === 'views' ? ownViews(facts) : undefined;
  return listed === undefined
    ? view
    : { columns: view.columns, rows: joined(ordered(view, listed), view.rows) };
}

function* joined<T>(first: Iterable<T>, second: Iterable<T>): Generator<T> {
  yield* first;
  yield* second;
}

const ordered = ({ columns }: SystemRelation, rows: readonly Row[]): readonly (readonly SystemValue[])[] =>
  rows.map((row) => columns.map(({ name }) => row[name]));

const schemaOf = (oid: number): string => (oid === INFORMATION_SCHEMA_OID ? INFORMATION_SCHEMA : PG_CATALOG);

/** What `tables` and `views` say about every relation: it is as old as the database and belongs to its owner. */
function ownRelations({ snapshot, database }: SystemFacts): readonly Row[] {
  const owner = snapshot.database(database);
  if (owner === undefined) return [];
  const created = new Date(owner.createdAt);
  return systemRelations().map(({ name, schemaOid, kind }) => ({
    table_catalog: database,
    table_schema: schemaOf(schemaOid),
    table_name: name,
    table_type: kind === 'v' ? 'VIEW' : 'BASE TABLE',
    table_owner: owner.owner,
    created,
    last_altered: created,
    is_insertable_into: 'NO',
  }));
}

const ownTables = (facts: SystemFacts): readonly Row[] =>
  ownRelations(facts).map((row) => ({ ...row, is_typed: 'NO' }));

const ownViews = (facts: SystemFacts): readonly Row[] =>
  ownRelations(facts)
    .filter(({ table_type }) => table_type === 'VIEW')
    .map((row) => ({
      ...row,
      check_option: 'NONE',
      is_updatable: 'NO',
      is_trigger_updatable: 'NO',
      is_trigger_deletable: 'NO',
      is_trigger_insertable_into: 'NO',
    }));

function* ownColumns(facts: SystemFacts): Generator<readonly SystemValue[]> {
  for (const { name, schemaOid, columns } of systemRelations()) {
    const place = { schema: schemaOf(schemaOid), relation: name };
    for (const [index, { name, type, kernelType }] of columns.entries()) {
      const column = { name, type: sqlType(kernelType), postgresType: type, nullable: true };
      yield readOnlyColumn(column, index + 1, place, facts);
    }
  }
}

const SQL_TYPES: Readonly<Record<ScalarType, SqlType>> = {
  VARCHAR: { kind: 'text' },
  BIGINT: { kind: 'long' },
  INTEGER: { kind: 'int' },
  SMALLINT: { kind: 'int', postgres: 'int2' },
  UINTEGER: { kind: 'long', postgres: 'oid' },
  FLOAT: { kind: 'float' },
  DOUBLE: { kind: 'double' },
  BOOLEAN: { kind: 'boolean' },
  'TIMESTAMP WITH TIME ZONE': { kind: 'timestamptz' },
};

const sqlType = (type: SystemType): SqlType =>
  type.endsWith('[]')
    ? { kind: 'array', element: SQL_TYPES[type.slice(0, -2) as ScalarType] }
    : SQL_TYPES[type as ScalarType];
