import type { IToken } from 'chevrotain';
import { Close, isWord, Open, Word } from '../../text/lexer.ts';
import type { SqlText, TokenCursor } from '../../text/token-cursor.ts';

/**
 * Words after which an operand or the rest of an operator must follow, so an expression cannot end there. AT and ESCAPE are
 * not among them: in front of a reserved word they are names of columns.
 */
const OPERATOR_WORDS =
  'IS NOT AND OR LIKE ILIKE SIMILAR IN BETWEEN DISTINCT COLLATE AS WHEN THEN ELSE CASE'.split(' ');

/**
 * Cuts an expression out of a statement. It ends at a comma or bracket of the level where it begins, at the
 * end of the text, or at one of the `ends` (each the words of a clause that may follow) where an expression
 * may end. `IS DISTINCT FROM`, `IS NOT NULL` and anything between CASE and END do not end it.
 */
export function expressionText(
  cursor: TokenCursor,
  what: string,
  ends: readonly (readonly string[])[] = [],
): SqlText {
  return textUntil(cursor, what, ends, true);
}

/** The same for a list of expressions or table references, in which commas do not end the text. */
export function clauseText(
  cursor: TokenCursor,
  what: string,
  ends: readonly (readonly string[])[] = [],
): SqlText {
  return textUntil(cursor, what, ends, false);
}

function textUntil(
  cursor: TokenCursor,
  what: string,
  ends: readonly (readonly string[])[],
  endsAtComma: boolean,
): SqlText {
  const start = cursor.offset;
  const begin = cursor.index;
  let cases = 0;
  // Whether the previous token is a name, as any word behind a dot or AS is.
  let isNamed = false;
  for (let token = cursor.peek(); token !== undefined; token = cursor.peek()) {
    if (token.tokenType === Close || (endsAtComma && token.image === ',')) break;
    const previous = cursor.index === begin ? undefined : cursor.previous;
    if (
      token.tokenType === Word &&
      cases === 0 &&
      (isNamed || mayEndBehind(previous)) &&
      !cursor.isAt('WITH', 'TIME') &&
      ends.some((words) => cursor.isAt(...words))
    )
      break;
    isNamed = previous?.image === '.' || isWord(previous, 'AS');
    if (!isNamed) {
      if (isWord(token, 'CASE')) cases += 1;
      if (isWord(token, 'END') && cases > 0) cases -= 1;
    }
    if (token.tokenType === Open) skipBrackets(cursor);
    else cursor.next();
  }
  if (cursor.index === begin) cursor.unexpected(what);
  return cursor.textFrom(start);
}

/** Skips `( … )` with its contents. */
export function skipBrackets(cursor: TokenCursor): void {
  let depth = 0;
  do {
    const token = cursor.next() ?? cursor.unexpected('")"');
    if (token.tokenType === Open) depth += 1;
    if (token.tokenType === Close) depth -= 1;
  } while (depth > 0);
}

function mayEndBehind(token: IToken | undefined): boolean {
  if (token === undefined) return false;
  if (token.tokenType.name === 'Operator') return token.image === '*';
  return !isWord(token, ...OPERATOR_WORDS);
}

/** The rest of the statement, which must begin like a query. */
export function restAsQuery(cursor: TokenCursor, what = 'a query'): SqlText {
  const start = cursor.offset;
  if (!isAtQuery(cursor)) cursor.unexpected(what);
  while (cursor.next() !== undefined);
  return cursor.textFrom(start);
}

/** The query inside `( … )`. The parentheses are consumed and not part of the result. */
export function parenthesisedQuery(cursor: TokenCursor): SqlText {
  cursor.expectSymbol('(');
  if (!isAtQuery(cursor)) cursor.unexpected('a query');
  const query = clauseText(cursor, 'a query');
  cursor.expectSymbol(')');
  return query;
}

/** Whether a query begins here. `VALUES` may also be a name, so it must be followed by a parenthesis. */
export function isAtQuery(cursor: TokenCursor, ahead = 0): boolean {
  let at = ahead;
  while (cursor.peek(at)?.image === '(') at += 1;
  if (isWord(cursor.peek(at), 'VALUES')) return cursor.peek(at + 1)?.image === '(';
  return isWord(cursor.peek(at), 'SELECT', 'WITH', 'FROM', 'TABLE');
}
