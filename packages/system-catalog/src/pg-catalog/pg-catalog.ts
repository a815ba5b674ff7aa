import { LOOKUPS, lookupRelation } from '@tessera/sql';
import type { SystemRelation } from '../facts/system-relation.ts';
import { activity, keywords, preparedStatements, settings, timeZones } from './activity.ts';
import { attributeDefaults, attributes } from './attributes.ts';
import { CATALOG_TABLES } from './catalog-tables.ts';
import { CATALOG_VIEWS } from './catalog-views.ts';
import { classes } from './classes.ts';
import { constraints } from './constraints.ts';
import { descriptions, sharedDescriptions } from './descriptions.ts';
import { accessMethods, collations, languages } from './fixed-rows.ts';
import { foreignDataWrappers, foreignServers, foreignTables } from './foreign-tables.ts';
import { indexDefinitions, indexes } from './indexes.ts';
import { lookupRows } from './lookups.ts';
import { databases, initialPrivileges, namespaces, tablespaces } from './namespaces.ts';
import type { PostgresFacts } from './postgres-facts.ts';
import { rewriteRules, tableStatistics, tables, views } from './relation-views.ts';
import { groups, memberships, roles, users } from './roles.ts';
import { routines } from './routines.ts';
import { catalogRelation } from './row.ts';
import { sequenceNumbers, sequences } from './sequences.ts';
import { types } from './types.ts';

/** The relations that have rows. */
const FILLED: Readonly<Record<string, (facts: PostgresFacts) => SystemRelation>> = {
  $keywords: keywords,
  pg_am: accessMethods,
  pg_attrdef: attributeDefaults,
  pg_attribute: attributes,
  pg_auth_members: memberships,
  pg_class: classes,
  pg_collation: collations,
  pg_constraint: constraints,
  pg_database: databases,
  pg_description: descriptions,
  pg_foreign_data_wrapper: foreignDataWrappers,
  pg_foreign_server: foreignServers,
  pg_foreign_table: foreignTables,
  pg_group: groups,
  pg_index: indexes,
  pg_indexes: indexDefinitions,
  pg_init_privs: initialPrivileges,
  pg_language: languages,
  pg_namespace: namespaces,
  pg_prepared_statements: preparedStatements,
  pg_proc: routines,
  pg_rewrite: rewriteRules,
  pg_roles: roles,
  pg_sequence: sequenceNumbers,
  pg_sequences: sequences,
  pg_settings: settings,
  pg_shdescription: sharedDescriptions,
  pg_stat_activity: activity,
  pg_stat_all_tables: tableStatistics('pg_stat_all_tables'),
  pg_stat_user_tables: tableStatistics('pg_stat_user_tables'),
  pg_tables: tables,
  pg_tablespace: tablespaces,
  pg_timezone_names: timeZones,
  pg_type: types,
  pg_user: users,
  pg_views: views,
};

export const RELATIONS_WITH_ROWS: readonly string[] = Object.keys(FILLED);

/** The names that may follow `pg_catalog.`. */
export const PG_CATALOG_RELATIONS: readonly string[] = [
  ...Object.keys(CATALOG_TABLES),
  ...Object.keys(CATALOG_VIEWS),
];

/**
 * A relation of `pg_catalog` by its name; undefined if there is none. PostgreSQL's other relations are empty
 * here.
 */
export function pgCatalogRelation(name: string, facts: PostgresFacts): SystemRelation | undefined {
  if (Object.hasOwn(FILLED, name)) return FILLED[name]?.(facts);
  const lookup = LOOKUPS.find((one) => lookupRelation(one) === name);
  if (lookup !== undefined) return lookupRows(lookup, facts);
  return isPgCatalogRelation(name) ? catalogRelation(name, []) : undefined;
}

export const isPgCatalogRelation = (name: string): boolean =>
  Object.hasOwn(CATALOG_TABLES, name) || Object.hasOwn(CATALOG_VIEWS, name);
