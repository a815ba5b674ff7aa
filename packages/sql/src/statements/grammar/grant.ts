import { isWord } from '../../text/lexer.ts';
import type { TokenCursor } from '../../text/token-cursor.ts';
import type { Granted, GrantStatement, PrivilegeName, RevokeStatement } from '../access-statement.ts';
import { grantTarget } from './grant-target.ts';
import { principalNames } from './principal-names.ts';
import { unsupported } from './unsupported.ts';

/** Privileges of several words come first, so that `CREATE DATABASE` is not read as `CREATE`. */
const PRIVILEGES: readonly (readonly [words: readonly string[], privilege: PrivilegeName])[] = [
  [['CREATE', 'DATABASE'], 'CREATE DATABASE'],
  [['CREATE', 'ROLE'], 'CREATE ROLE'],
  [['CREATE', 'USER'], 'CREATE ROLE'],
  [['CANCEL', 'ANY', 'QUERY'], 'CANCEL ANY QUERY'],
  [['READ', 'ANY', 'HISTORY'], 'READ ANY HISTORY'],
  [['VACUUM', 'ANY'], 'VACUUM ANY'],
  [['COLLECT', 'GARBAGE'], 'COLLECT GARBAGE'],
  [['READ', 'EXTERNAL'], 'READ EXTERNAL'],
  [['WRITE', 'EXTERNAL'], 'WRITE EXTERNAL'],
  [['USAGE'], 'USAGE'],
  [['CONNECT'], 'USAGE'],
  [['CREATE'], 'CREATE'],
  [['SELECT'], 'SELECT'],
  [['INSERT'], 'INSERT'],
  [['UPDATE'], 'UPDATE'],
  [['DELETE'], 'DELETE'],
  [['TRUNCATE'], 'TRUNCATE'],
  [['VACUUM'], 'VACUUM'],
];

/**
 * Parses `GRANT privileges ON … TO … [WITH GRANT OPTION]` and `GRANT roles TO … [WITH ADMIN OPTION]`,
 * starting after GRANT.
 */
export function grantStatement(cursor: TokenCursor): GrantStatement {
  const granted = grantedIn(cursor, 'TO');
  cursor.expectWord('TO');
  const to = principalNames(cursor);
  const withOption = cursor.accept('WITH', granted.kind === 'roles' ? 'ADMIN' : 'GRANT', 'OPTION');
  cursor.expectEnd();
  return { kind: 'grant', granted, to, withOption };
}

/** REVOKE starting after the word REVOKE: `[GRANT OPTION FOR] … FROM … [CASCADE | RESTRICT]`. */
export function revokeStatement(cursor: TokenCursor): RevokeStatement {
  const optionOnly = cursor.accept('GRANT', 'OPTION', 'FOR') || cursor.accept('ADMIN', 'OPTION', 'FOR');
  const granted = grantedIn(cursor, 'FROM');
  cursor.expectWord('FROM');
  const from = principalNames(cursor);
  const cascade = cursor.accept('CASCADE');
  if (!cascade) cursor.accept('RESTRICT');
  cursor.expectEnd();
  return { kind: 'revoke', granted, from, optionOnly, cascade };
}

function grantedIn(cursor: TokenCursor, end: 'TO' | 'FROM'): Granted {
  if (!isOnSomething(cursor, end)) return { kind: 'roles', roles: principalNames(cursor, 'a role') };
  const start = cursor.offset;
  const privileges = privilegesIn(cursor);
  const location = cursor.locationFrom(start);
  cursor.expectWord('ON');
  return { kind: 'privileges', privileges, on: grantTarget(cursor), location };
}

/**
 * Whether ON comes before the word (TO or FROM) that precedes the grantees: privileges have an ON clause,
 * roles do not.
 */
function isOnSomething(cursor: TokenCursor, end: 'TO' | 'FROM'): boolean {
  for (let ahead = 0; cursor.peek(ahead) !== undefined; ahead += 1) {
    if (isWord(cursor.peek(ahead), 'ON')) return true;
    if (isWord(cursor.peek(ahead), end)) return false;
  }
  return false;
}

function privilegesIn(cursor: TokenCursor): readonly PrivilegeName[] | 'all' {
  if (cursor.accept('ALL')) {
    cursor.accept('PRIVILEGES');
    return 'all';
  }
  const privileges = new Set<PrivilegeName>();
  do {
    const found = PRIVILEGES.find(([words]) => cursor.accept(...words));
    if (found === undefined) return cursor.unexpected('a privilege');
    if (cursor.isAtSymbol('(')) unsupported(cursor, 'A privilege on columns');
    privileges.add(found[1]);
  } while (cursor.acceptSymbol(','));
  return [...privileges];
}
