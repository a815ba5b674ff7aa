import type { SqlLocation } from '@tessera/common';
import type { ObjectName } from './object-name.ts';

/** Statements about users, roles and what they may do. */

/** A user or role, folded. `current_user`, `session_user` and `current_role` stand for who asks. */
export interface PrincipalName {
  readonly name: string;
  readonly location: SqlLocation;
}

/** What can be granted; the catalog's `Privilege`. CONNECT is USAGE here, CREATE USER is CREATE ROLE. */
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

/** What of a user is given; what is undefined stays, or is as in a new user. */
export interface UserOptions {
  /** Null: no password opens the account. */
  readonly password?: string | null | undefined;
  readonly enabled?: boolean | undefined;
  /** Null: none. */
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

/** As in PostgreSQL, statements about roles take users as well. */
export interface AlterRoleStatement {
  readonly kind: 'alter_role';
  readonly role: PrincipalName;
  readonly ifExists: boolean;
  readonly change: PrincipalChange;
}

export interface DropPrincipalStatement {
  /** `drop_role` takes users as well. */
  readonly kind: 'drop_user' | 'drop_role';
  readonly principal: PrincipalName;
  readonly ifExists: boolean;
}

/** All that these own, users and roles too, becomes another one's. */
export interface ReassignOwnedStatement {
  readonly kind: 'reassign_owned';
  readonly from: readonly PrincipalName[];
  readonly to: PrincipalName;
}

/** What privileges are on. */
export type GrantTarget =
  /** `table` may be a view or external table, `view` is one. */
  | { readonly kind: 'table' | 'view'; readonly names: readonly ObjectName[] }
  /** Those that are there now; `table`: views and external tables too. */
  | { readonly kind: 'all_in_schema'; readonly of: 'table' | 'view'; readonly schemas: readonly ObjectName[] }
  | { readonly kind: 'schema' | 'location' | 'sequence'; readonly names: readonly ObjectName[] }
  | { readonly kind: 'database'; readonly names: readonly ObjectName[] }
  | { readonly kind: 'engine' };

export type Granted =
  /** `all`: all that the target takes. */
  | {
      readonly kind: 'privileges';
      readonly privileges: readonly PrivilegeName[] | 'all';
      readonly on: GrantTarget;
      /** Where the privileges stand. */
      readonly location: SqlLocation;
    }
  | { readonly kind: 'roles'; readonly roles: readonly PrincipalName[] };

export interface GrantStatement {
  readonly kind: 'grant';
  readonly granted: Granted;
  readonly to: readonly PrincipalName[];
  /** WITH GRANT OPTION, of roles WITH ADMIN OPTION. */
  readonly withOption: boolean;
}

export interface RevokeStatement {
  readonly kind: 'revoke';
  readonly granted: Granted;
  readonly from: readonly PrincipalName[];
  /** GRANT OPTION FOR, ADMIN OPTION FOR: the right itself stays. */
  readonly optionOnly: boolean;
  /** Also what those who lose a grant option granted with it. */
  readonly cascade: boolean;
}

/** Without either: all grants that the user may see. */
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
