import type { SystemFacts } from '../facts/system-facts.ts';
import type { SystemRelation } from '../facts/system-relation.ts';
import {
  applicableRoles,
  enabledRoles,
  objectPrivileges,
  roleMembers,
  roles,
  roleTableGrants,
  tablePrivileges,
  users,
} from './access.ts';
import { queries, transactions } from './activity.ts';
import { catalogs, databases, locations, schemata, views } from './catalog-objects.ts';
import { engineConfiguration } from './cluster.ts';
import { CLUSTER_VIEWS } from './cluster-views.ts';
import { columns } from './columns.ts';
import { CONSTRAINT_VIEWS } from './constraints.ts';
import { indexes } from './indexes.ts';
import { routines, STANDARD_RELATIONS } from './standard-relations.ts';
import { tables } from './tables.ts';
import { tablets } from './tablets.ts';

const VIEWS: Readonly<Record<string, (facts: SystemFacts) => SystemRelation>> = {
  ...STANDARD_RELATIONS,
  ...CONSTRAINT_VIEWS,
  ...CLUSTER_VIEWS,
  applicable_roles: applicableRoles,
  catalogs,
  columns,
  databases,
  enabled_roles: enabledRoles,
  engine_configuration: engineConfiguration,
  indexes,
  locations,
  object_privileges: objectPrivileges,
  queries,
  role_members: roleMembers,
  role_table_grants: roleTableGrants,
  roles,
  routines,
  schemata,
  table_privileges: tablePrivileges,
  tables,
  tablets,
  transactions,
  users,
  views,
};

/** The names that may follow `information_schema.`. */
export const INFORMATION_SCHEMA_VIEWS: readonly string[] = Object.keys(VIEWS);

/**
 * A view of `information_schema` by its unqualified name; undefined if there is none. Its rows are generated
 * while they are read.
 */
export const informationSchemaRelation = (name: string, facts: SystemFacts): SystemRelation | undefined =>
  Object.hasOwn(VIEWS, name) ? VIEWS[name]?.(facts) : undefined;
