import type { TokenCursor } from '../../text/token-cursor.ts';
import type { AccessStatement, AlterUserStatement, PrincipalName } from '../access-statement.ts';
import { ifExists, ifNotExists, placedName } from './names.ts';
import { principalNames } from './principal-names.ts';
import { userOptions } from './user-options.ts';

/** `CREATE | ALTER | DROP USER | ROLE`, `REASSIGN OWNED`; undefined for others. */
export function principalStatement(cursor: TokenCursor): AccessStatement | undefined {
  if (cursor.accept('CREATE', 'USER')) return createUser(cursor);
  if (cursor.accept('CREATE', 'ROLE')) return createRole(cursor);
  if (cursor.accept('ALTER', 'USER')) return alterPrincipal(cursor, 'alter_user');
  if (cursor.accept('ALTER', 'ROLE')) return alterPrincipal(cursor, 'alter_role');
  if (cursor.accept('DROP', 'USER')) return dropPrincipal(cursor, 'drop_user');
  if (cursor.accept('DROP', 'ROLE')) return dropPrincipal(cursor, 'drop_role');
  if (cursor.accept('REASSIGN', 'OWNED', 'BY')) return reassignOwned(cursor);
  return undefined;
}

function createUser(cursor: TokenCursor): AccessStatement {
  const quiet = ifNotExists(cursor);
  const user = placedName(cursor, 'the name of a user');
  return { kind: 'create_user', user, ifNotExists: quiet, ...userOptions(cursor, { isNew: true }) };
}

/** As in PostgreSQL, a role that may log in or has a password is a user. */
function createRole(cursor: TokenCursor): AccessStatement {
  const quiet = ifNotExists(cursor);
  const role = placedName(cursor, 'the name of a role');
  const { options, roles } = userOptions(cursor, { isNew: true });
  const { enabled = false, password, defaultDatabase } = options;
  if (!enabled && password === undefined && defaultDatabase === undefined)
    return { kind: 'create_role', role, ifNotExists: quiet, roles };
  return { kind: 'create_user', user: role, ifNotExists: quiet, options: { ...options, enabled }, roles };
}

/** `ALTER ROLE` with an option that only users have alters a user. */
function alterPrincipal(cursor: TokenCursor, kind: 'alter_user' | 'alter_role'): AccessStatement {
  const quiet = ifExists(cursor);
  const principal = placedName(cursor, kind === 'alter_user' ? 'the name of a user' : 'the name of a role');
  const rename = cursor.accept('RENAME', 'TO');
  if (rename || cursor.accept('OWNER', 'TO')) {
    const to = placedName(cursor, rename ? 'the new name' : 'a user or role');
    cursor.expectEnd();
    const change = { kind: rename ? 'rename' : 'owner', to } as const;
    if (kind === 'alter_role') return { kind, role: principal, ifExists: quiet, change };
    return { kind, user: principal, ifExists: quiet, change };
  }
  return alterUser(cursor, principal, quiet);
}

function alterUser(cursor: TokenCursor, user: PrincipalName, quiet: boolean): AlterUserStatement {
  cursor.accept('WITH');
  if (cursor.peek() === undefined)
    cursor.unexpected('RENAME TO, OWNER TO, PASSWORD, ENABLE, DISABLE or DEFAULT_DATABASE');
  const { options } = userOptions(cursor, { isNew: false });
  return { kind: 'alter_user', user, ifExists: quiet, change: { kind: 'options', options } };
}

function dropPrincipal(cursor: TokenCursor, kind: 'drop_user' | 'drop_role'): AccessStatement {
  const quiet = ifExists(cursor);
  const principal = placedName(cursor, kind === 'drop_user' ? 'the name of a user' : 'the name of a role');
  cursor.expectEnd();
  return { kind, principal, ifExists: quiet };
}

/** Parses `REASSIGN OWNED BY a, b TO c`, starting at the first name. */
function reassignOwned(cursor: TokenCursor): AccessStatement {
  const from = principalNames(cursor);
  cursor.expectWord('TO');
  const [to, ...more] = principalNames(cursor);
  if (to === undefined || more.length > 0) return cursor.unexpected('one user or role');
  cursor.expectEnd();
  return { kind: 'reassign_owned', from, to };
}
