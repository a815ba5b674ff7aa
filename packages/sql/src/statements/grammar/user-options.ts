import { fail, type SqlLocation } from '@tessera/common';
import { isWord, stringOf } from '../../text/lexer.ts';
import type { TokenCursor } from '../../text/token-cursor.ts';
import type { PrincipalName, UserOptions } from '../access-statement.ts';
import { principalNames } from './principal-names.ts';

/** The options after the name of a user or role. */
export interface ReadUserOptions {
  readonly options: UserOptions;
  readonly roles: readonly PrincipalName[];
}

/** PostgreSQL's words for settings that are always in effect here. */
const DEFAULTS = [
  'NOSUPERUSER',
  'NOCREATEDB',
  'NOCREATEROLE',
  'NOREPLICATION',
  'NOBYPASSRLS',
  'INHERIT',
] as const;

const INSTEAD: Readonly<Record<string, string>> = {
  SUPERUSER: 'GRANT system_admin TO …',
  CREATEDB: 'GRANT CREATE DATABASE ON ENGINE TO …',
  CREATEROLE: 'GRANT CREATE ROLE ON ENGINE TO …',
};

/**
 * `[WITH] [PASSWORD '…' | NULL] [LOGIN | NOLOGIN | ENABLED | DISABLED] [DEFAULT_DATABASE = d] …` to the end of the statement.
 * No message shows a token that may belong to a password.
 */
export function userOptions(cursor: TokenCursor, { isNew }: { readonly isNew: boolean }): ReadUserOptions {
  const given = new GivenOptions();
  cursor.accept('WITH');
  while (cursor.peek() !== undefined) {
    const start = cursor.offset;
    const name = readOption(cursor, given, isNew);
    given.once(name, cursor.locationFrom(start));
  }
  const { password, enabled, defaultDatabase, roles } = given;
  return { options: { password, enabled, defaultDatabase }, roles };
}

class GivenOptions {
  password: string | null | undefined;
  enabled: boolean | undefined;
  defaultDatabase: string | null | undefined;
  roles: readonly PrincipalName[] = [];
  readonly #names = new Set<string>();

  once(name: string, location: SqlLocation): void {
    if (this.#names.has(name)) fail('SYNTAX_ERROR', { message: `${name} is specified twice` }, { location });
    this.#names.add(name);
  }
}

/** Reads one option and returns its name. */
function readOption(cursor: TokenCursor, given: GivenOptions, isNew: boolean): string {
  if (!isNew) cursor.accept('SET');
  cursor.accept('ENCRYPTED');
  if (cursor.accept('PASSWORD')) {
    given.password = password(cursor);
    return 'PASSWORD';
  }
  if (cursor.accept('DEFAULT_DATABASE')) {
    given.defaultDatabase = nameOrNull(cursor);
    return 'DEFAULT_DATABASE';
  }
  const isDefaultRole = isNew && cursor.accept('DEFAULT_ROLE');
  if (isDefaultRole || (isNew && cursor.accept('IN', 'ROLE'))) {
    cursor.acceptSymbol('=');
    given.roles = principalNames(cursor, 'a role');
    return 'DEFAULT_ROLE';
  }
  const word = cursor.peek();
  if (isWord(word, 'LOGIN', 'ENABLE', 'ENABLED', 'NOLOGIN', 'DISABLE', 'DISABLED')) {
    given.enabled = isWord(cursor.next(), 'LOGIN', 'ENABLE', 'ENABLED');
    return 'LOGIN';
  }
  const harmless = DEFAULTS.find((option) => cursor.accept(option));
  return harmless ?? otherOption(cursor, given);
}

function otherOption(cursor: TokenCursor, given: GivenOptions): never {
  const name = Object.keys(INSTEAD).find((option) => cursor.isAt(option));
  if (name !== undefined) {
    const location = cursor.locationOf(cursor.peek()!);
    return fail('NOT_SUPPORTED', { what: name, hint: `use ${INSTEAD[name]}` }, { location });
  }
  const expected = 'PASSWORD, LOGIN, NOLOGIN, DEFAULT_DATABASE or the end of the statement';
  if (given.password === undefined) return cursor.unexpected(expected);
  const location = cursor.locationFrom(cursor.offset);
  return fail('SYNTAX_ERROR', { message: `Expected ${expected} after the password` }, { location });
}

function password(cursor: TokenCursor): string | null {
  cursor.acceptSymbol('=');
  if (cursor.accept('NULL')) return null;
  const start = cursor.offset;
  const token = cursor.next();
  const text = token && stringOf(token);
  const location = cursor.locationFrom(start);
  if (text === undefined) {
    return fail('SYNTAX_ERROR', { message: 'Expected the password as a string, or NULL' }, { location });
  }
  if (text === '') fail('INVALID_ARGUMENT', { message: 'A password cannot be empty' }, { location });
  return text;
}

function nameOrNull(cursor: TokenCursor): string | null {
  cursor.acceptSymbol('=');
  if (cursor.accept('NULL')) return null;
  const token = cursor.peek();
  const text = token && stringOf(token);
  if (text === undefined) return cursor.expectName('a database');
  cursor.next();
  return text;
}
