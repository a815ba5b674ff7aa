import { stringOf } from '../../text/lexer.ts';
import type { TokenCursor } from '../../text/token-cursor.ts';
import type { ShowGrantsStatement } from '../access-statement.ts';
import type { ShowStatement } from '../catalog-statement.ts';
import type { ObjectName } from '../object-name.ts';
import { clauseText, isAtQuery } from './expression-text.ts';
import { grantTarget } from './grant-target.ts';
import { objectName } from './names.ts';
import { principalName } from './principal-names.ts';

const LISTS = [
  'tables',
  'columns',
  'databases',
  'schemas',
  'indexes',
  'views',
  'engines',
  'users',
  'roles',
  'locations',
  'catalogs',
  'queries',
  'nodes',
  'functions',
] as const;

/**
 * Parses `SHOW <list> [IN | FROM name] [LIKE pattern]`, `SHOW GRANTS`, `SHOW CREATE TABLE t`, `DESCRIBE
 * [TABLE] t`, `DESCRIBE <query>` and `DESCRIBE <file or call>`; undefined for other statements.
 */
export function showStatement(cursor: TokenCursor): ShowStatement | ShowGrantsStatement | undefined {
  if (cursor.accept('SHOW', 'GRANTS')) return showGrants(cursor);
  if (cursor.accept('DESCRIBE') || cursor.accept('DESC')) return describeStatement(cursor);
  if (cursor.accept('SHOW', 'CREATE', 'TABLE') || cursor.accept('SHOW', 'CREATE', 'VIEW')) {
    return finished(cursor, 'create_table', objectName(cursor, 'the name of a table'));
  }
  const what = LISTS.find((list) => cursor.accept('SHOW', list.toUpperCase()));
  if (what === undefined) return undefined;
  const isNamed = cursor.accept('IN') || cursor.accept('FROM');
  const isShort = what === 'columns' && cursor.peek() !== undefined && !cursor.isAt('LIKE');
  const name = isNamed || isShort ? objectName(cursor, 'a name') : undefined;
  return finished(cursor, what, name, pattern(cursor));
}

/** `[ON <object>] [TO | FOR <user or role>]` */
function showGrants(cursor: TokenCursor): ShowGrantsStatement {
  const on = cursor.accept('ON') ? grantTarget(cursor) : undefined;
  const isOf = cursor.accept('TO') || cursor.accept('FOR');
  const of = isOf ? principalName(cursor) : undefined;
  cursor.expectEnd();
  return { kind: 'show_grants', on, of };
}

function describeStatement(cursor: TokenCursor): ShowStatement {
  cursor.accept('TABLE');
  if (isAtQuery(cursor)) {
    return { kind: 'show', what: 'describe', name: undefined, query: clauseText(cursor, 'a query') };
  }
  if (isAtSource(cursor)) {
    const { sql, offset } = clauseText(cursor, 'a file or a call');
    cursor.expectEnd();
    const query = { sql: `FROM ${sql}`, offset: offset - 'FROM '.length };
    return { kind: 'show', what: 'describe', name: undefined, query };
  }
  return finished(cursor, 'describe', objectName(cursor, 'the name of a table'));
}

/** Whether a file (`'upload://trips.csv'`) or a call (`READ_CSV(…)`) begins here, which FROM accepts as well. */
function isAtSource(cursor: TokenCursor): boolean {
  const token = cursor.peek();
  return token !== undefined && (stringOf(token) !== undefined || cursor.peek(1)?.image === '(');
}

function pattern(cursor: TokenCursor): string | undefined {
  if (!cursor.accept('LIKE')) return undefined;
  const token = cursor.peek();
  const text = token && stringOf(token);
  if (text === undefined) return cursor.unexpected('a pattern as a string');
  cursor.next();
  return text;
}

function finished(
  cursor: TokenCursor,
  what: ShowStatement['what'],
  name: ObjectName | undefined,
  like?: string,
): ShowStatement {
  cursor.expectEnd();
  return { kind: 'show', what, name, pattern: like };
}
