import { isWord, QuotedName, Word } from '../../text/lexer.ts';
import { RESERVED_WORDS } from '../../text/names.ts';
import type { TokenCursor } from '../../text/token-cursor.ts';
import type { PrincipalName } from '../access-statement.ts';
import { placedName } from './names.ts';

/** A user or role, optionally preceded by its kind: `ROLE reader`. */
export function principalName(cursor: TokenCursor, what = 'a user or role'): PrincipalName {
  if (isWord(cursor.peek(), 'USER', 'ROLE') && isAtName(cursor, 1)) cursor.next();
  return placedName(cursor, what);
}

export function principalNames(cursor: TokenCursor, what?: string): readonly PrincipalName[] {
  const names: PrincipalName[] = [];
  do names.push(principalName(cursor, what));
  while (cursor.acceptSymbol(','));
  return names;
}

/** Whether a name follows, and not a word that continues the clause. */
function isAtName(cursor: TokenCursor, ahead: number): boolean {
  const token = cursor.peek(ahead);
  if (token?.tokenType === QuotedName) return true;
  return token?.tokenType === Word && !isWord(token, ...RESERVED_WORDS, 'CASCADE', 'RESTRICT');
}
