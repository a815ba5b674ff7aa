import type { CatalogChange } from '@tessera/catalog';
import {
  type Credential,
  type Membership,
  NO_CHANGE,
  newObject,
  PUBLIC_ROLE,
  type RoleObject,
  requireDatabase,
  type Snapshot,
  type UserObject,
} from '@tessera/catalog';
import { fail } from '@tessera/common';
import type { CreateRoleStatement, CreateUserStatement, PrincipalName, UserOptions } from '@tessera/sql';

import type { AccessContext } from './access-context.ts';
import { requireFreeName, requireRole } from './principals.ts';

/**
 * @throws TesseraError DUPLICATE_OBJECT, UNDEFINED_OBJECT, DATABASE_NOT_FOUND, NOT_SUPPORTED for passwords if
 * the engine has none
 */
export async function createUser(
  context: AccessContext,
  snapshot: Snapshot,
  { user: name, ifNotExists, options, roles }: CreateUserStatement,
): Promise<CatalogChange> {
  if (ifNotExists && snapshot.principal(name.name)?.kind === 'user') return NO_CHANGE;
  requireFreeName(snapshot, name);
  const user: UserObject = {
    kind: 'user',
    ...newObject(context, name.name),
    enabled: true,
    memberOf: memberships(context, snapshot, roles),
    ...(await userFields(context, snapshot, options)),
  };
  return { actions: [{ kind: 'create', object: user }] };
}

export function createRole(
  context: AccessContext,
  snapshot: Snapshot,
  { role: name, ifNotExists, roles }: CreateRoleStatement,
): CatalogChange {
  if (ifNotExists && snapshot.principal(name.name)?.kind === 'role') return NO_CHANGE;
  requireFreeName(snapshot, name);
  const role: RoleObject = {
    kind: 'role',
    ...newObject(context, name.name),
    memberOf: memberships(context, snapshot, roles),
  };
  return { actions: [{ kind: 'create', object: role }] };
}

/** The fields of a user that the options set. */
export async function userFields(
  context: AccessContext,
  snapshot: Snapshot,
  { password, enabled, defaultDatabase }: UserOptions,
): Promise<Partial<Pick<UserObject, 'enabled' | 'credential' | 'defaultDatabase'>>> {
  if (typeof defaultDatabase === 'string') requireDatabase(snapshot, defaultDatabase);
  return {
    ...(enabled === undefined ? {} : { enabled }),
    ...(typeof defaultDatabase === 'string' ? { defaultDatabase } : {}),
    ...(typeof password === 'string' ? { credential: await credentialOf(context, password) } : {}),
  };
}

/** Matches a password hash of PostgreSQL that no client can log in with. */
const MD5 = /^md5[0-9a-f]{32}$/;

async function credentialOf(context: AccessContext, password: string): Promise<Credential> {
  if (!MD5.test(password)) return context.credential(password);
  const hint = 'send the password itself, or its SCRAM-SHA-256 verifier as \\password of psql does';
  return fail('NOT_SUPPORTED', { what: 'A password hashed with MD5', hint });
}

/** Membership in `public` is implicit and not stored. */
function memberships(
  context: AccessContext,
  snapshot: Snapshot,
  roles: readonly PrincipalName[],
): readonly Membership[] {
  const ids = new Set(roles.map((role) => requireRole(snapshot, role, context).id));
  ids.delete(PUBLIC_ROLE.id);
  return [...ids].map((role) => ({ role, admin: false, grantor: context.user }));
}
