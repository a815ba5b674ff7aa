import { isWord } from '../../text/lexer.ts';
import type { SqlText, TokenCursor } from '../../text/token-cursor.ts';
import { skipBrackets } from './expression-text.ts';

const CHANGES = ['INSERT', 'UPDATE', 'DELETE', 'MERGE'];

/**
 * Consumes `WITH a AS (…), …` if INSERT, UPDATE, DELETE or MERGE follows. Undefined, with the cursor unmoved,
 * for the WITH of a query.
 */
export function leadingWith(cursor: TokenCursor): SqlText | undefined {
  if (!cursor.isAt('WITH') || !leadsToChange(cursor)) return undefined;
  const start = cursor.offset;
  while (!isWord(cursor.peek(), ...CHANGES) || cursor.previous?.image !== ')') {
    if (cursor.isAtSymbol('(')) skipBrackets(cursor);
    else cursor.next();
  }
  return cursor.textFrom(start);
}

/** Whether the first word after a parenthesis that does not belong to the WITH clause begins a change. */
function leadsToChange(cursor: TokenCursor): boolean {
  let depth = 0;
  for (let ahead = 1; ; ahead += 1) {
    const token = cursor.peek(ahead);
    if (token === undefined) return false;
    if (token.image === '(') depth += 1;
    else if (token.image === ')') depth -= 1;
    else if (depth === 0 && cursor.peek(ahead - 1)?.image === ')') {
      if (isWord(token, ...CHANGES)) return true;
      if (token.image !== ',' && !isWord(token, 'AS')) return false;
    }
  }
}
