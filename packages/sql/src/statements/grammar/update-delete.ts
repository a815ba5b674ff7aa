import { isWord } from '../../text/lexer.ts';
import type { SqlText, TokenCursor } from '../../text/token-cursor.ts';
import type { DeleteStatement, UpdateStatement } from '../catalog-statement.ts';
import { RETURNING, returningClause, withoutSettings } from './change-suffix.ts';
import { clauseText, expressionText } from './expression-text.ts';
import { identifier, objectName } from './names.ts';
import { setClauses } from './set-clauses.ts';

/** `UPDATE t [[AS] a] SET … [FROM …] [WHERE …] [RETURNING …]` */
export function updateStatement(whole: TokenCursor, leading: SqlText | undefined): UpdateStatement {
  const { cursor, settings } = withoutSettings(whole);
  cursor.expectWord('UPDATE');
  cursor.accept('ONLY');
  const table = objectName(cursor, 'the name of a table');
  const alias = optionalAlias(cursor, 'SET');
  cursor.expectWord('SET');
  const set = setClauses(cursor, [['FROM'], ['WHERE'], RETURNING]);
  const from = cursor.accept('FROM') ? clauseText(cursor, 'a table', [['WHERE'], RETURNING]) : undefined;
  const where = whereClause(cursor);
  const returning = returningClause(cursor);
  return { kind: 'update', table, alias, with: leading, set, from, where, returning, settings };
}

/** `DELETE FROM t [[AS] a] [USING …] [WHERE …] [RETURNING …]` */
export function deleteStatement(whole: TokenCursor, leading: SqlText | undefined): DeleteStatement {
  const { cursor, settings } = withoutSettings(whole);
  cursor.expectWord('DELETE');
  cursor.expectWord('FROM');
  cursor.accept('ONLY');
  const table = objectName(cursor, 'the name of a table');
  const alias = optionalAlias(cursor, 'USING', 'WHERE', 'RETURNING');
  const using = cursor.accept('USING') ? clauseText(cursor, 'a table', [['WHERE'], RETURNING]) : undefined;
  const where = whereClause(cursor);
  const returning = returningClause(cursor);
  return { kind: 'delete', table, alias, with: leading, using, where, returning, settings };
}

function whereClause(cursor: TokenCursor): SqlText | undefined {
  return cursor.accept('WHERE') ? expressionText(cursor, 'a condition', [RETURNING]) : undefined;
}

/** Parses `[AS] a`, unless one of the words that may follow comes next. */
export function optionalAlias(cursor: TokenCursor, ...next: readonly string[]): string | undefined {
  if (cursor.accept('AS')) return identifier(cursor, 'an alias');
  if (cursor.peek() === undefined || isWord(cursor.peek(), ...next)) return undefined;
  return identifier(cursor, next.join(' or '));
}
