import { PRIVILEGES_ON, rightsOf } from '@tessera/access-control';
import { type CatalogObject, type Grant, PUBLIC_ROLE } from '@tessera/catalog';
import {
  databasesOf,
  locationsOfDatabase,
  principalsOf,
  relationsOfDatabase,
  schemasOfDatabase,
} from '../facts/relations-of-database.ts';
import type { SystemFacts } from '../facts/system-facts.ts';
import { columnsOf, type SystemRelation, type SystemValue, TIME } from '../facts/system-relation.ts';

const COLUMNS = columnsOf(
  'grantor',
  'grantee',
  'table_catalog',
  'table_schema',
  'table_name',
  'privilege_type',
  'is_grantable',
  'with_hierarchy',
);

/** As in PostgreSQL, owners have every privilege, and `public` is written PUBLIC. */
export const tablePrivileges = (facts: SystemFacts): SystemRelation => ({
  columns: COLUMNS,
  rows: rows(facts),
});

/** The same without grants to everybody. */
export const roleTableGrants = (facts: SystemFacts): SystemRelation => ({
  columns: COLUMNS,
  rows: rows(facts).filter(([, grantee]) => grantee !== 'PUBLIC'),
});

function* rows(facts: SystemFacts): Generator<readonly SystemValue[]> {
  for (const { schema, relation } of relationsOfDatabase(facts)) {
    const table = [facts.database, schema.name, relation.name];
    const { owner } = relation;
    if (facts.rights.isOwner(relation)) {
      for (const privilege of PRIVILEGES_ON[relation.kind])
        yield [owner, owner, ...table, privilege, 'YES', hierarchy(privilege)];
    }
    for (const { grantee, granteeName, grantor, privilege, grantable } of shownGrants(facts, relation)) {
      const name = grantee === PUBLIC_ROLE.id ? 'PUBLIC' : granteeName;
      yield [grantor, name, ...table, privilege, grantable ? 'YES' : 'NO', hierarchy(privilege)];
    }
  }
}

const hierarchy = (privilege: string): string => (privilege === 'SELECT' ? 'YES' : 'NO');

const yesNo = (value: boolean): string => (value ? 'YES' : 'NO');

/** The users that the user may see; passwords are not shown anywhere. */
export const users = (facts: SystemFacts): SystemRelation => ({
  columns: columnsOf(
    'user_name',
    'default_database',
    'default_engine',
    'is_enabled',
    'has_password',
    'user_owner',
    ['created', TIME],
    ['last_altered', TIME],
  ),
  rows: principalsOf(facts).flatMap((user): SystemValue[][] => {
    if (user.kind !== 'user') return [];
    const { name, defaultDatabase, enabled, credential, owner, createdAt, alteredAt } = user;
    const facing = [name, defaultDatabase, facts.engine, yesNo(enabled), yesNo(credential !== undefined)];
    return [[...facing, owner, new Date(createdAt), new Date(alteredAt)]];
  }),
});

export const roles = (facts: SystemFacts): SystemRelation => ({
  columns: columnsOf('role_name', 'role_owner', ['created', TIME], ['last_altered', TIME]),
  rows: principalsOf(facts)
    .filter(({ kind }) => kind === 'role')
    .map(({ name, owner, createdAt, alteredAt }) => [name, owner, new Date(createdAt), new Date(alteredAt)]),
});

/** The memberships in roles. */
export const roleMembers = (facts: SystemFacts): SystemRelation => ({
  columns: columnsOf('role_name', 'member', 'is_grantable', 'grantor'),
  rows: principalsOf(facts).flatMap((member) =>
    member.memberOf.flatMap(({ role, admin, grantor }): SystemValue[][] => {
      const found = facts.snapshot.object(role);
      return found === undefined ? [] : [[found.name, member.name, yesNo(admin), grantor]];
    }),
  ),
});

/** The memberships through which the current user has roles, including those of the roles themselves. */
export function applicableRoles({ snapshot, user }: SystemFacts): SystemRelation {
  const { grantees } = rightsOf(snapshot, user);
  const members = snapshot.principals().filter(({ id }) => grantees.has(id));
  const rows = members.flatMap((member) =>
    member.memberOf.flatMap(({ role, admin }): SystemValue[][] => {
      const found = snapshot.object(role);
      return found === undefined ? [] : [[member.name, found.name, yesNo(admin)]];
    }),
  );
  return { columns: columnsOf('grantee', 'role_name', 'is_grantable'), rows };
}

/** The roles that the current user has; everybody has `public`. */
export function enabledRoles({ snapshot, user }: SystemFacts): SystemRelation {
  const { grantees } = rightsOf(snapshot, user);
  const enabled = snapshot.principals().filter(({ id, kind }) => kind === 'role' && grantees.has(id));
  return { columns: columnsOf('role_name'), rows: enabled.map(({ name }) => [name]) };
}

/**
 * Privileges on objects of the database and on the engine that concern the current user; `OWNERSHIP`
 * represents everything that owners may do.
 */
export const objectPrivileges = (facts: SystemFacts): SystemRelation => ({
  columns: columnsOf(
    'grantor',
    'grantee',
    'object_catalog',
    'object_schema',
    'object_name',
    'object_type',
    'privilege_type',
    'is_grantable',
  ),
  rows: privilegeRows(facts),
});

function* privilegeRows(facts: SystemFacts): Generator<readonly SystemValue[]> {
  const { database, engine } = facts;
  const owner = databasesOf(facts).find(({ name }) => name === database);
  if (owner !== undefined) yield* rowsOf(facts, owner, [database, null, database, 'database']);
  for (const location of locationsOfDatabase(facts))
    yield* rowsOf(facts, location, [database, null, location.name, 'location']);
  for (const schema of schemasOfDatabase(facts))
    yield* rowsOf(facts, schema, [database, null, schema.name, 'schema']);
  for (const { schema, relation } of relationsOfDatabase(facts)) {
    const type = relation.kind === 'view' ? 'view' : 'table';
    yield* rowsOf(facts, relation, [database, schema.name, relation.name, type]);
  }
  for (const principal of principalsOf(facts))
    yield* grantRows(facts, principal, [null, null, engine, 'engine']);
}

function* rowsOf(
  facts: SystemFacts,
  object: CatalogObject,
  about: readonly SystemValue[],
): Generator<readonly SystemValue[]> {
  yield [object.owner, object.owner, ...about, 'OWNERSHIP', 'YES'];
  yield* grantRows(facts, object, about);
}

function* grantRows(
  facts: SystemFacts,
  object: CatalogObject,
  about: readonly SystemValue[],
): Generator<readonly SystemValue[]> {
  for (const { privilege, grantable, grantor, granteeName } of shownGrants(facts, object))
    yield [grantor, granteeName, ...about, privilege, yesNo(grantable)];
}

/**
 * The grants that the current user may see: those on the user's own objects, and those that the user, or a
 * role of the user, granted or has.
 */
function shownGrants(
  { snapshot, rights }: SystemFacts,
  object: CatalogObject,
): readonly (Grant & { readonly granteeName: string })[] {
  const isOwn = rights.isOwner(object);
  return (object.grants ?? []).flatMap((grant) => {
    const grantee = snapshot.object(grant.grantee);
    const isShown = isOwn || rights.grantees.has(grant.grantee) || rights.isMemberOf(grant.grantor);
    return grantee === undefined || !isShown ? [] : [{ ...grant, granteeName: grantee.name }];
  });
}
