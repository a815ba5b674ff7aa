import {
  type Action,
  ADMIN_ROLE,
  BOOTSTRAP_USER,
  type CatalogChange,
  type CatalogObject,
  NO_CHANGE,
  type PrincipalObject,
  PUBLIC_ROLE,
  type Snapshot,
  type UserObject,
} from '@tessera/catalog';
import { fail } from '@tessera/common';
import type { AlterRoleStatement, AlterUserStatement, PrincipalName, UserOptions } from '@tessera/sql';
import type { AccessContext } from './access-context.ts';
import { userFields } from './create-principal.ts';
import { allObjects, requireFreeName, requirePrincipal, requireUser } from './principals.ts';

/**
 * @throws TesseraError UNDEFINED_OBJECT, WRONG_OBJECT_TYPE, FORBIDDEN for properties that the engine needs
 * unchanged
 */
export function alterUser(
  context: AccessContext,
  snapshot: Snapshot,
  { user: name, ifExists, change }: AlterUserStatement,
): CatalogChange | Promise<CatalogChange> {
  if (ifExists && snapshot.principal(name.name) === undefined) return NO_CHANGE;
  const user = requireUser(snapshot, name, context);
  if (change.kind === 'options') return alterOptions(context, snapshot, user, change.options);
  return alterName(context, snapshot, user, change, name);
}

/** Also accepts users, as PostgreSQL does. */
export function alterRole(
  context: AccessContext,
  snapshot: Snapshot,
  { role: name, ifExists, change }: AlterRoleStatement,
): CatalogChange {
  if (ifExists && snapshot.principal(name.name) === undefined) return NO_CHANGE;
  return alterName(context, snapshot, requirePrincipal(snapshot, name, context), change, name);
}

async function alterOptions(
  context: AccessContext,
  snapshot: Snapshot,
  user: UserObject,
  options: UserOptions,
): Promise<CatalogChange> {
  if (options.enabled === false && user.name === context.user) {
    fail('FORBIDDEN', { message: 'Users cannot disable themselves' });
  }
  const { credential, defaultDatabase, ...rest } = user;
  const object: UserObject = {
    ...rest,
    ...(credential === undefined || options.password === null ? {} : { credential }),
    ...(defaultDatabase === undefined || options.defaultDatabase === null ? {} : { defaultDatabase }),
    ...(await userFields(context, snapshot, options)),
    alteredAt: new Date().toISOString(),
  };
  return { actions: [{ kind: 'alter', object }] };
}

function alterName(
  context: AccessContext,
  snapshot: Snapshot,
  principal: PrincipalObject,
  { kind, to }: AlterRoleStatement['change'],
  { location }: PrincipalName,
): CatalogChange {
  const alteredAt = new Date().toISOString();
  if (isBuiltIn(principal)) {
    const message = `"${principal.name}" is built in and cannot be altered`;
    fail('FORBIDDEN', { message }, { location });
  }
  if (kind === 'owner') {
    const { id, name: owner } = requirePrincipal(snapshot, to, context);
    if (id === principal.id) {
      fail('INVALID_ARGUMENT', { message: `"${owner}" cannot own itself` }, { location: to.location });
    }
    return { actions: [{ kind: 'alter', object: { ...principal, owner, alteredAt } }] };
  }
  if (principal.name === context.user) {
    fail('FORBIDDEN', { message: 'Users cannot rename themselves' }, { location });
  }
  requireFreeName(snapshot, to);
  const renamed = (object: CatalogObject) => withNameOf(object, principal.name, to.name);
  const actions: Action[] = [];
  for (const object of allObjects(snapshot)) {
    const after = renamed(object);
    if (object.id === principal.id) {
      actions.push({ kind: 'alter', object: { ...after, name: to.name, alteredAt } as PrincipalObject });
    } else if (after !== object) actions.push({ kind: 'alter', object: after });
  }
  return { actions };
}

/** Whether a principal was created by the bootstrap of the catalog. */
export const isBuiltIn = ({ id }: PrincipalObject): boolean =>
  [PUBLIC_ROLE.id, ADMIN_ROLE.id, BOOTSTRAP_USER.id].includes(id);

/**
 * The object with the new name of its owner or grantor; the object itself if the renamed principal is
 * neither.
 */
function withNameOf(object: CatalogObject, from: string, to: string): CatalogObject {
  let changed = object.owner === from ? { ...object, owner: to } : object;
  const { grants } = changed;
  if (grants?.some(({ grantor }) => grantor === from))
    changed = { ...changed, grants: grants.map((grant) => withGrantor(grant, from, to)) };
  if ('memberOf' in changed && changed.memberOf.some(({ grantor }) => grantor === from))
    changed = { ...changed, memberOf: changed.memberOf.map((grant) => withGrantor(grant, from, to)) };
  return changed;
}

const withGrantor = <T extends { readonly grantor: string }>(granted: T, from: string, to: string): T =>
  granted.grantor === from ? { ...granted, grantor: to } : granted;
