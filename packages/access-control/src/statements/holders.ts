import type { Action, CatalogObject, Grant, ObjectId, PrincipalObject, Snapshot } from '@tessera/catalog';
import type { GrantedRight, GrantorFacts } from './granted-rights.ts';

type PrivilegeRight = GrantedRight<Grant['privilege']>;

/** The grants on an object whose grantees still exist. */
export const rightsOn = (snapshot: Snapshot, { grants = [] }: CatalogObject): readonly PrivilegeRight[] =>
  grants
    .filter(({ grantee }) => snapshot.object(grantee) !== undefined)
    .map(({ privilege, ...grant }) => ({ right: privilege, ...grant }));

/** The grants on the engine, which users and roles hold themselves. */
export const rightsOnEngine = (snapshot: Snapshot): readonly PrivilegeRight[] =>
  snapshot.principals().flatMap((principal) => rightsOn(snapshot, principal));

/** All memberships in roles. */
export const membershipRights = (snapshot: Snapshot): readonly GrantedRight<ObjectId>[] =>
  snapshot.principals().flatMap((member) => membershipsOf(snapshot, member));

const membershipsOf = (
  snapshot: Snapshot,
  { id, memberOf }: PrincipalObject,
): readonly GrantedRight<ObjectId>[] =>
  memberOf
    .filter(({ role }) => snapshot.object(role) !== undefined)
    .map(({ role, admin, grantor }) => ({ right: role, grantee: id, grantable: admin, grantor }));

/** The change that leaves exactly these grants on the object. */
export function alterGrants(object: CatalogObject, rights: readonly PrivilegeRight[]): readonly Action[] {
  const grants = rights.map(({ right, ...grant }): Grant => ({ privilege: right, ...grant }));
  if (isEqual(grants, object.grants ?? [])) return [];
  const { grants: _before, ...rest } = object;
  return [{ kind: 'alter', object: (grants.length === 0 ? rest : { ...rest, grants }) as CatalogObject }];
}

/** The changes that leave exactly these grants on the engine. */
export const alterEngineGrants = (snapshot: Snapshot, rights: readonly PrivilegeRight[]): readonly Action[] =>
  snapshot.principals().flatMap((principal) =>
    alterGrants(
      principal,
      rights.filter(({ grantee }) => grantee === principal.id),
    ),
  );

/** The changes that leave exactly these memberships. */
export const alterMemberships = (
  snapshot: Snapshot,
  rights: readonly GrantedRight<ObjectId>[],
): readonly Action[] =>
  snapshot.principals().flatMap((member): readonly Action[] => {
    const memberOf = rights
      .filter(({ grantee }) => grantee === member.id)
      .map(({ right, grantable, grantor }) => ({ role: right, admin: grantable, grantor }));
    if (isEqual(memberOf, member.memberOf)) return [];
    return [{ kind: 'alter', object: { ...member, memberOf } }];
  });

const isEqual = (a: readonly object[], b: readonly object[]): boolean =>
  a.length === b.length && a.every((value, i) => sameFields(value, b[i] ?? {}));

const sameFields = (a: object, b: object): boolean =>
  Object.entries(a).every(([name, value]) => Reflect.get(b, name) === value);

/**
 * Facts about grantors. Grants of dropped principals stay.
 * @param rules whether the user or role with the given name may grant without an option
 */
export const grantorFacts = (snapshot: Snapshot, rules: (name: string) => boolean): GrantorFacts => ({
  nameOf: (id) => snapshot.object(id)?.name,
  needsNoOption: (name) => snapshot.principal(name) === undefined || rules(name),
});
