import { relationsOfDatabase } from './relations-of-database.ts';
import type { SystemFacts } from './system-facts.ts';
import { columnsOf, type SystemRelation, type SystemValue } from './system-relation.ts';

const PRIVILEGES = columnsOf(
  'grantor',
  'grantee',
  'object_catalog',
  'object_schema',
  'object_name',
  'object_type',
  'privilege_type',
  'is_grantable',
);

/** What owners may do with what is theirs; nothing else can be granted in this version. */
export function objectPrivileges(facts: SystemFacts): SystemRelation {
  const { snapshot, database } = facts;
  const owner = snapshot.database(database);
  const rows: SystemValue[][] = [];
  const add = (owned: string, schema: string | null, name: string, type: string) =>
    rows.push([owned, owned, database, schema, name, type, 'ALL', 'YES']);
  if (owner !== undefined) {
    add(owner.owner, null, database, 'database');
    for (const schema of snapshot.schemas(owner.id)) add(schema.owner, null, schema.name, 'schema');
    for (const { schema, relation } of relationsOfDatabase(facts)) {
      const type = relation.kind === 'view' ? 'view' : 'table';
      add(relation.owner, schema.name, relation.name, type);
    }
    for (const location of snapshot.locations(owner.id)) add(location.owner, null, location.name, 'location');
  }
  return { columns: PRIVILEGES, rows };
}

/** Roles do not exist in this version. */
export const applicableRoles = (): SystemRelation => ({
  columns: columnsOf('grantee', 'role_name', 'is_grantable'),
  rows: [],
});

/** Roles do not exist in this version. */
export const enabledRoles = (): SystemRelation => ({ columns: columnsOf('role_name'), rows: [] });

/** The user who asks. */
export const users = ({ user, database, engine }: SystemFacts): SystemRelation => ({
  columns: columnsOf('user_name', 'default_database', 'default_engine', 'is_enabled'),
  rows: [[user, database, engine, 'YES']],
});
