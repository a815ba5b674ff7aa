import { rightsOf } from '@tessera/access-control';
import { ADMIN_ROLE, type PrincipalObject, PUBLIC_ROLE } from '@tessera/catalog';
import { databasesOf, principalsOf } from '../facts/relations-of-database.ts';
import type { SystemRelation } from '../facts/system-relation.ts';
import { ADMIN_OID, type PostgresFacts, roleOid, userRelations, userSchemas } from './postgres-facts.ts';
import { catalogRelation, type Row } from './row.ts';

interface Role {
  readonly oid: number;
  readonly name: string;
  readonly principal: PrincipalObject | undefined;
}

/** In PostgreSQL, `public` is not a role. */
const isRole = ({ id }: PrincipalObject): boolean => id !== PUBLIC_ROLE.id;

/**
 * The users and roles that the user may see or that own something visible, and without authentication also
 * names that own something or run queries.
 */
export function rolesOf(facts: PostgresFacts): readonly Role[] {
  const names = new Set([
    facts.user,
    ...databasesOf(facts).map(({ owner }) => owner),
    ...userSchemas(facts).map(({ owner }) => owner),
    ...[...userRelations(facts)].map(({ relation }) => relation.owner),
  ]);
  const visible = new Set(principalsOf(facts).map(({ id }) => id));
  const principals = facts.snapshot
    .principals()
    .filter((principal) => isRole(principal) && (visible.has(principal.id) || names.has(principal.name)));
  for (const { name } of facts.snapshot.principals()) names.delete(name);
  return [
    ...principals.map((principal) => ({ name: principal.name, principal })),
    ...[...names].map((name) => ({ name, principal: undefined })),
  ].map((role) => ({ ...role, oid: roleOid(facts, role.name) }));
}

/** `pg_roles`. */
export const roles = (facts: PostgresFacts): SystemRelation =>
  catalogRelation(
    'pg_roles',
    rolesOf(facts).map(({ oid, name, principal }) => {
      const rights = rightsOf(facts.snapshot, name);
      const isSuper = principal === undefined || rights.isAdministrator;
      return {
        oid,
        rolname: name,
        rolsuper: isSuper,
        rolinherit: true,
        rolcreaterole: isSuper || rights.mayOnEngine('CREATE ROLE'),
        rolcreatedb: isSuper || rights.mayOnEngine('CREATE DATABASE'),
        rolcanlogin: principal === undefined || (principal.kind === 'user' && principal.enabled),
        rolreplication: false,
        rolconnlimit: -1,
        rolpassword: '********',
        rolbypassrls: isSuper,
      };
    }),
  );

/** `pg_user`. */
export const users = (facts: PostgresFacts): SystemRelation =>
  catalogRelation(
    'pg_user',
    rolesOf(facts)
      .filter(({ principal }) => principal?.kind !== 'role')
      .map(({ oid, name, principal }) => {
        const isSuper = principal === undefined || rightsOf(facts.snapshot, name).isAdministrator;
        return {
          usename: name,
          usesysid: oid,
          usecreatedb: isSuper,
          usesuper: isSuper,
          userepl: false,
          usebypassrls: isSuper,
          passwd: '********',
        };
      }),
  );

/** `pg_group`. */
export const groups = (facts: PostgresFacts): SystemRelation =>
  catalogRelation(
    'pg_group',
    rolesOf(facts)
      .filter(({ principal }) => principal?.kind === 'role')
      .map(({ oid, name, principal }) => ({
        groname: name,
        grosysid: oid,
        grolist: principalsOf(facts)
          .filter(({ memberOf }) => memberOf.some(({ role }) => role === principal?.id))
          .map((member) => roleOid(facts, member.name)),
      })),
  );

/** `pg_auth_members`. */
export const memberships = (facts: PostgresFacts): SystemRelation =>
  catalogRelation('pg_auth_members', membershipRows(facts));

function* membershipRows(facts: PostgresFacts): Generator<Row> {
  for (const { name, memberOf } of principalsOf(facts)) {
    for (const { role, admin, grantor } of memberOf) {
      yield {
        roleid: role === ADMIN_ROLE.id ? ADMIN_OID : facts.oids.of(role),
        member: roleOid(facts, name),
        grantor: roleOid(facts, grantor),
        admin_option: admin,
      };
    }
  }
}
