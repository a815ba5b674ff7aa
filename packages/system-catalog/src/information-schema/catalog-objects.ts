import { INFORMATION_SCHEMA, PG_CATALOG } from '@tessera/catalog';
import { redactedQuery, redactedUrl } from '@tessera/sql';
import {
  databasesOf,
  locationsOfDatabase,
  relationsOfDatabase,
  schemasOfDatabase,
} from '../facts/relations-of-database.ts';
import type { SystemFacts } from '../facts/system-facts.ts';
import { columnsOf, type SystemRelation, type SystemValue, TIME } from '../facts/system-relation.ts';

const CATALOGS = columnsOf(
  'catalog_name',
  'catalog_owner',
  'description',
  ['created', TIME],
  ['last_altered', TIME],
);

/** The databases of the cluster. */
export const catalogs = (facts: SystemFacts): SystemRelation => ({
  columns: CATALOGS,
  rows: databasesOf(facts).map((d) => [
    d.name,
    d.owner,
    d.description,
    new Date(d.createdAt),
    new Date(d.alteredAt),
  ]),
});

/** The same under the names that older clients use. */
export const databases = (facts: SystemFacts): SystemRelation => ({
  ...catalogs(facts),
  columns: CATALOGS.map((column) => ({ ...column, name: column.name.replace('catalog_', 'database_') })),
});

const SCHEMATA = columnsOf(
  'catalog_name',
  'schema_name',
  'schema_owner',
  'description',
  ['created', TIME],
  ['last_altered', TIME],
  'default_character_set_catalog',
  'default_character_set_schema',
  'default_character_set_name',
  'sql_path',
);

export function schemata(facts: SystemFacts): SystemRelation {
  const { snapshot, database } = facts;
  const owner = snapshot.database(database);
  const rows: SystemValue[][] = schemasOfDatabase(facts).map((s) => [
    database,
    s.name,
    s.owner,
    s.description,
    new Date(s.createdAt),
    new Date(s.alteredAt),
  ]);
  if (owner !== undefined) {
    const created = new Date(owner.createdAt);
    const add = (name: string, description: string) =>
      rows.push([database, name, owner.owner, description, created, created]);
    add(INFORMATION_SCHEMA, 'What the engine knows of itself');
    add(PG_CATALOG, 'The same as clients of PostgreSQL read it');
  }
  return { columns: SCHEMATA, rows };
}

const VIEWS = columnsOf(
  'table_catalog',
  'table_schema',
  'table_name',
  'view_definition',
  'check_option',
  'is_updatable',
  'table_owner',
  ['created', TIME],
  ['last_altered', TIME],
  'is_insertable_into',
  'is_trigger_updatable',
  'is_trigger_deletable',
  'is_trigger_insertable_into',
);

export const views = (facts: SystemFacts): SystemRelation => ({
  columns: VIEWS,
  rows: [...relationsOfDatabase(facts)].flatMap(({ schema, relation }) =>
    relation.kind === 'view'
      ? [
          [
            facts.database,
            schema.name,
            relation.name,
            redactedQuery(relation.sql),
            'NONE',
            'NO',
            relation.owner,
            new Date(relation.createdAt),
            new Date(relation.alteredAt),
            ...['NO', 'NO', 'NO', 'NO'],
          ],
        ]
      : [],
  ),
});

const LOCATIONS = columnsOf(
  'location_catalog',
  'location_name',
  'location_source',
  'url',
  'location_owner',
  'description',
  ['created', TIME],
  ['last_altered', TIME],
);

/** Locations; their credentials are not shown. */
export function locations(facts: SystemFacts): SystemRelation {
  return {
    columns: LOCATIONS,
    rows: locationsOfDatabase(facts).map((l) => [
      facts.database,
      l.name,
      l.source,
      redactedUrl(l.url),
      l.owner,
      l.description,
      new Date(l.createdAt),
      new Date(l.alteredAt),
    ]),
  };
}
