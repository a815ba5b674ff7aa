import type { SqlText, TokenCursor } from '../../text/token-cursor.ts';
import { expressionText } from './expression-text.ts';

/** The words that end the clause before RETURNING. */
export const RETURNING = ['RETURNING'];

/**
 * Parses `[RETURNING expression [[AS] name], …]` at the end of a statement and returns the items as texts.
 */
export function returningClause(cursor: TokenCursor): readonly SqlText[] | undefined {
  if (!cursor.accept(...RETURNING)) {
    cursor.expectEnd();
    return undefined;
  }
  const items: SqlText[] = [];
  do items.push(expressionText(cursor, 'an expression'));
  while (cursor.acceptSymbol(','));
  cursor.expectEnd();
  return items;
}
