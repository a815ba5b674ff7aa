import {
  type Action,
  ADMIN_ROLE,
  BOOTSTRAP_USER,
  type CatalogChange,
  type ObjectId,
  type PrincipalObject,
  PUBLIC_ROLE,
  type RoleObject,
  type Snapshot,
} from '@tessera/catalog';
import { fail } from '@tessera/common';
import type { Granted, GrantStatement, PrincipalName, RevokeStatement } from '@tessera/sql';
import { rightsOf } from '../rights/rights.ts';
import type { AccessContext } from './access-context.ts';
import { refuseDependents } from './grant-privileges.ts';
import { withoutRights, withRight } from './granted-rights.ts';
import { alterMemberships, grantorFacts, membershipRights } from './holders.ts';
import { requirePrincipal, requireRole } from './principals.ts';

type OfRoles<T> = T & { readonly granted: Extract<Granted, { kind: 'roles' }> };

/**
 * @throws TesseraError UNDEFINED_OBJECT, WRONG_OBJECT_TYPE if the role is a user, INVALID_ARGUMENT for a
 * circular membership
 */
export function grantRoles(
  context: AccessContext,
  snapshot: Snapshot,
  { granted, to, withOption }: OfRoles<GrantStatement>,
): CatalogChange {
  const asking = context.rights(snapshot);
  let rights = membershipRights(snapshot);
  const touched: RoleObject[] = [];
  for (const name of granted.roles) {
    const role = requireRole(snapshot, name, context);
    for (const memberName of to) {
      const member = requirePrincipal(snapshot, memberName, context);
      refuseLoop(snapshot, role, member, memberName);
      const option = rights.find((r) => r.right === role.id && r.grantable && asking.grantees.has(r.grantee));
      const isOwn = asking.isOwner(role) || option?.grantee === asking.principal?.id;
      const grantor = (isOwn ? undefined : option && snapshot.object(option.grantee)?.name) ?? asking.name;
      const { id: right } = role;
      rights = withRight(rights, { right, grantee: member.id, grantable: withOption, grantor });
      if (member.kind === 'role') touched.push(role);
    }
  }
  const actions = alterMemberships(snapshot, rights);
  return { actions: [...actions, ...touch(touched, actions)] };
}

/**
 * @throws TesseraError also FORBIDDEN for memberships that the built-in user needs, DEPENDENT_OBJECTS without
 * CASCADE
 */
export function revokeRoles(
  context: AccessContext,
  snapshot: Snapshot,
  { granted, from, optionOnly, cascade }: OfRoles<RevokeStatement>,
): CatalogChange {
  const asking = context.rights(snapshot);
  const grantees = new Set(from.map((name) => requirePrincipal(snapshot, name, context).id));
  const roles = granted.roles.map((name) => requireRole(snapshot, name, context));
  if (roles.some(({ id }) => id === ADMIN_ROLE.id) && grantees.has(BOOTSTRAP_USER.id)) {
    const message = `"${BOOTSTRAP_USER.name}" stays a member of ${ADMIN_ROLE.name}`;
    fail('FORBIDDEN', { message }, { location: from[0]?.location });
  }
  let rights = membershipRights(snapshot);
  for (const role of roles) {
    const isGrantor = (name: string) => asking.isOwner(role) || asking.isMemberOf(name);
    const rules = (name: string) => rightsOf(snapshot, name).isOwner(role);
    const revoked = { rights: new Set([role.id]), grantees, optionOnly, isGrantor };
    const left = withoutRights(rights, revoked, grantorFacts(snapshot, rules));
    if (!cascade) refuseDependents(snapshot, left.dependents, () => `role "${role.name}"`);
    rights = left.rights;
  }
  return { actions: alterMemberships(snapshot, rights) };
}

function refuseLoop(
  snapshot: Snapshot,
  role: RoleObject,
  member: PrincipalObject,
  { location }: PrincipalName,
): void {
  const everybody = member.id === PUBLIC_ROLE.id;
  if (everybody || role.id === PUBLIC_ROLE.id) {
    const message = everybody
      ? 'A role cannot be granted to public: grant its privileges to public instead'
      : 'Everybody is a member of public';
    fail('INVALID_ARGUMENT', { message }, { location });
  }
  if (role.id !== member.id && !rightsOf(snapshot, role.name).grantees.has(member.id)) return;
  const message =
    role.id === member.id
      ? `"${role.name}" cannot be a member of itself`
      : `"${member.name}" cannot be a member of "${role.name}", which is a member of it`;
  fail('INVALID_ARGUMENT', { message }, { location });
}

/**
 * Rewrites roles that got other roles as members, although they do not change. Otherwise two concurrent
 * transactions could each create one half of a circular membership.
 */
function touch(roles: readonly RoleObject[], actions: readonly Action[]): readonly Action[] {
  const altered = new Set<ObjectId>(
    actions.flatMap((action) => (action.kind === 'alter' ? [action.object.id] : [])),
  );
  const untouched = new Map(roles.filter(({ id }) => !altered.has(id)).map((role) => [role.id, role]));
  return [...untouched.values()].map((object): Action => ({ kind: 'alter', object }));
}
