import type { SqlText } from '../catalog-statement.ts';
import type { TokenCursor } from '../token-cursor.ts';
import { expressionText } from './expression-text.ts';

/** The words that end the clause before a RETURNING clause. */
export const RETURNING = ['RETURNING'];

/** `[RETURNING expression [[AS] name], …]` at the end of a statement: the items as they stand there. */
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
