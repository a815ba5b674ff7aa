import { isWord } from '../../text/lexer.ts';
import type { TokenCursor } from '../../text/token-cursor.ts';
import type { GrantTarget } from '../access-statement.ts';
import type { ObjectName } from '../object-name.ts';
import { objectName } from './names.ts';

/**
 * Parses the target of privileges: `[TABLE] a, b`, `ALL TABLES IN SCHEMA s`, `SCHEMA s`, `DATABASE d`,
 * `ENGINE` and so on.
 */
export function grantTarget(cursor: TokenCursor): GrantTarget {
  if (cursor.accept('ALL')) return allInSchema(cursor);
  if (cursor.accept('ENGINE')) {
    if (cursor.peek() !== undefined && !isEnd(cursor, 0)) cursor.expectName('an engine');
    return { kind: 'engine' };
  }
  for (const kind of ['database', 'schema', 'sequence', 'location', 'view'] as const) {
    if (isKind(cursor, kind.toUpperCase())) return { kind, names: names(cursor, `the name of a ${kind}`) };
  }
  if (!cursor.accept('EXTERNAL', 'TABLE')) cursor.accept('TABLE');
  return { kind: 'table', names: names(cursor, 'the name of a table') };
}

function allInSchema(cursor: TokenCursor): GrantTarget {
  const isTables = cursor.accept('TABLES');
  if (!isTables && !cursor.accept('VIEWS')) cursor.unexpected('TABLES IN SCHEMA or VIEWS IN SCHEMA');
  cursor.expectWord('IN');
  cursor.expectWord('SCHEMA');
  const schemas = names(cursor, 'the name of a schema');
  return { kind: 'all_in_schema', of: isTables ? 'table' : 'view', schemas };
}

/** Consumes the keyword for a kind of object, unless it is itself the name of a table. */
function isKind(cursor: TokenCursor, word: string): boolean {
  if (!isWord(cursor.peek(), word) || isEnd(cursor, 1)) return false;
  cursor.next();
  return true;
}

/** Whether the next token cannot be a name. */
function isEnd(cursor: TokenCursor, ahead: number): boolean {
  const token = cursor.peek(ahead);
  return (
    token === undefined || token.image === ',' || token.image === '.' || isWord(token, 'TO', 'FROM', 'FOR')
  );
}

function names(cursor: TokenCursor, what: string): readonly ObjectName[] {
  const list: ObjectName[] = [];
  do list.push(objectName(cursor, what));
  while (cursor.acceptSymbol(','));
  return list;
}
