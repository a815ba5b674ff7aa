import type { SqlLocation } from '@tessera/common';
import type { ObjectName } from './object-name.ts';

/** Statements about users, roles and privileges. */

/**
 * A user or role; the name is folded. `current_user`, `session_user` and `current_role` mean the user who
 * runs the statement.
 */
export interface PrincipalName {
  readonly name: string;
  readonly location: SqlLocation;
}

/**
 * A privilege that can be granted, as in the catalog's `Privilege`. CONNECT is stored as USAGE, CREATE USER
 * as CREATE ROLE.
 */
export type PrivilegeName =
  | 'USAGE'
  | 'CREATE'
  | 'SELECT'
  | 'INSERT'
  | 'UPDATE'
  | 'DELETE'
  | 'TRUNCATE'
  | 'VACUUM'
  | 'CREATE DATABASE'
  | 'CREATE ROLE'
  | 'CANCEL ANY QUERY'
  | 'READ ANY HISTORY'
  | 'VACUUM ANY'
  | 'COLLECT GARBAGE'
  | 'READ EXTERNAL'
  | 'WRITE EXTERNAL';

/**
 * The options that the statement gives. An undefined option keeps its value, or takes the default for a new
 * user.
 */
export interface UserOptions {
  /** Null means that no password opens the account. */
  readonly password?: string | null | undefined;
  readonly enabled?: boolean | undefined;
  /** Null means no default database. */
  readonly defaultDatabase?: string | null | undefined;
}

export interface CreateUserStatement {
  readonly kind: 'create_user';
  readonly user: PrincipalName;
  readonly ifNotExists: boolean;
  readonly options: UserOptions;
  /** Roles that the user becomes a member of. */
  readonly roles: readonly PrincipalName[];
}

export interface CreateRoleStatement {
  readonly kind: 'create_role';
  readonly role: PrincipalName;
  readonly ifNotExists: boolean;
  /** Roles that the role becomes a member of. */
  readonly roles: readonly PrincipalName[];
}

type PrincipalChange =
  | { readonly kind: 'rename'; readonly to: PrincipalName }
  | { readonly kind: 'owner'; readonly to: PrincipalName };

export interface AlterUserStatement {
  readonly kind: 'alter_user';
  readonly user: PrincipalName;
  readonly ifExists: boolean;
  readonly change: PrincipalChange | { readonly kind: 'options'; readonly options: UserOptions };
}

/** As in PostgreSQL, statements about roles also accept users. */
export interface AlterRoleStatement {
  readonly kind: 'alter_role';
  readonly role: PrincipalName;
  readonly ifExists: boolean;
  readonly change: PrincipalChange;
}

export interface DropPrincipalStatement {
  /** `drop_role` also accepts users. */
  readonly kind: 'drop_user' | 'drop_role';
  readonly principal: PrincipalName;
  readonly ifExists: boolean;
}

/** Transfers everything that these users or roles own, including users and roles, to another one. */
export interface ReassignOwnedStatement {
  readonly kind: 'reassign_owned';
  readonly from: readonly PrincipalName[];
  readonly to: PrincipalName;
}

/** The objects of a GRANT or REVOKE. */
export type GrantTarget =
  /** `table` includes views and external tables; `view` only views. */
  | { readonly kind: 'table' | 'view'; readonly names: readonly ObjectName[] }
  /** All objects that exist now; `table` includes views and external tables. */
  | { readonly kind: 'all_in_schema'; readonly of: 'table' | 'view'; readonly schemas: readonly ObjectName[] }
  | { readonly kind: 'schema' | 'location' | 'sequence'; readonly names: readonly ObjectName[] }
  | { readonly kind: 'database'; readonly names: readonly ObjectName[] }
  | { readonly kind: 'engine' };

export type Granted =
  /** `all` means every privilege that the target supports. */
  | {
      readonly kind: 'privileges';
      readonly privileges: readonly PrivilegeName[] | 'all';
      readonly on: GrantTarget;
      /** The place of the privileges in the statement. */
      readonly location: SqlLocation;
    }
  | { readonly kind: 'roles'; readonly roles: readonly PrincipalName[] };

export interface GrantStatement {
  readonly kind: 'grant';
  readonly granted: Granted;
  readonly to: readonly PrincipalName[];
  /** WITH GRANT OPTION, or for roles WITH ADMIN OPTION. */
  readonly withOption: boolean;
}

export interface RevokeStatement {
  readonly kind: 'revoke';
  readonly granted: Granted;
  readonly from: readonly PrincipalName[];
  /** GRANT OPTION FOR or ADMIN OPTION FOR: only the option is revoked, not the privilege itself. */
  readonly optionOnly: boolean;
  /** Whether grants that depend on a revoked grant option are revoked too. */
  readonly cascade: boolean;
}

/** Without either clause it lists all grants that the user may see. */
export interface ShowGrantsStatement {
  readonly kind: 'show_grants';
  readonly on?: GrantTarget | undefined;
  readonly of?: PrincipalName | undefined;
}

export type AccessStatement =
  | CreateUserStatement
  | CreateRoleStatement
  | AlterUserStatement
  | AlterRoleStatement
  | DropPrincipalStatement
  | ReassignOwnedStatement
  | GrantStatement
  | RevokeStatement;
