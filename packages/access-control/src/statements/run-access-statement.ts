import type { CatalogChange, Snapshot } from '@tessera/catalog';
import type { AccessStatement, GrantStatement, RevokeStatement } from '@tessera/sql';

import type { AccessContext } from './access-context.ts';
import { alterRole, alterUser } from './alter-principal.ts';
import { createRole, createUser } from './create-principal.ts';
import { dropPrincipal, reassignOwned } from './drop-principal.ts';
import { grantPrivileges, revokePrivileges } from './grant-privileges.ts';
import { grantRoles, revokeRoles } from './grant-roles.ts';

/**
 * The change that a statement about users, roles or grants wants to commit. The caller has already checked
 * that the user may do it.
 */
export function accessChange(
  context: AccessContext,
  snapshot: Snapshot,
  statement: AccessStatement,
): CatalogChange | Promise<CatalogChange> {
  switch (statement.kind) {
    case 'create_user':
      return createUser(context, snapshot, statement);
    case 'create_role':
      return createRole(context, snapshot, statement);
    case 'alter_user':
      return alterUser(context, snapshot, statement);
    case 'alter_role':
      return alterRole(context, snapshot, statement);
    case 'drop_user':
    case 'drop_role':
      return dropPrincipal(context, snapshot, statement);
    case 'reassign_owned':
      return reassignOwned(context, snapshot, statement);
    case 'grant':
      return grant(context, snapshot, statement);
    case 'revoke':
      return revoke(context, snapshot, statement);
  }
}

function grant(context: AccessContext, snapshot: Snapshot, statement: GrantStatement): CatalogChange {
  const { granted } = statement;
  return granted.kind === 'roles'
    ? grantRoles(context, snapshot, { ...statement, granted })
    : grantPrivileges(context, snapshot, { ...statement, granted });
}

function revoke(context: AccessContext, snapshot: Snapshot, statement: RevokeStatement): CatalogChange {
  const { granted } = statement;
  return granted.kind === 'roles'
    ? revokeRoles(context, snapshot, { ...statement, granted })
    : revokePrivileges(context, snapshot, { ...statement, granted });
}
