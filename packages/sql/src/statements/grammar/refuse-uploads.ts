import { fail, type SqlLocation } from '@tessera/common';
import type { IToken } from 'chevrotain';
import { isWord, nameOf, QuotedName, stringOf } from '../../text/lexer.ts';
import type { TokenCursor } from '../../text/token-cursor.ts';

/**
 * Statements that may not name an upload, by their first words: what they create outlives the files of a
 * request.
 */
const NO_UPLOADS = [
  'COPY',
  'CREATE EXTERNAL TABLE',
  'CREATE VIEW',
  'CREATE OR REPLACE VIEW',
  'CREATE LOCATION',
  'CREATE OR REPLACE LOCATION',
  'CREATE DATABASE',
  'CREATE AGGREGATING INDEX',
  'CREATE INDEX',
  'CREATE FACT TABLE',
  'CREATE DIMENSION TABLE',
  'CREATE TABLE',
  'ALTER',
];

/**
 * Refuses `upload://` anywhere in the statement at the cursor, if the statement may not name an upload. The
 * queries of `CREATE TABLE … AS` and `COPY (query) TO` are exempt.
 */
export function refuseUploads(cursor: TokenCursor): void {
  const words = NO_UPLOADS.find((statement) => cursor.isAt(...statement.split(' ')));
  if (words === undefined) return;
  const isCopyOfQuery = words === 'COPY' && cursor.peek(1)?.image === '(';
  const upload = storedTokens(cursor, words, isCopyOfQuery).find(namesUpload);
  if (upload === undefined) return;
  const statement = words === 'COPY' ? (isCopyOfQuery ? 'COPY TO' : 'COPY FROM') : words;
  failForUpload(statement, cursor.locationOf(upload));
}

/** @param where the statement or object that may not name an upload, for the message */
export function failForUpload(where: string, location: SqlLocation | undefined): never {
  const message = `upload:// works only in FROM and in the READ_* functions of a query, not in ${where}: uploaded files exist only while the request runs`;
  return fail('INVALID_ARGUMENT', { message }, { location });
}

function storedTokens(cursor: TokenCursor, words: string, isCopyOfQuery: boolean): readonly IToken[] {
  if (isCopyOfQuery) {
    const from = topLevelWord(cursor, 'TO');
    return cursor.tokens.slice(from);
  }
  if (!words.endsWith(' TABLE') || words.includes('EXTERNAL')) return cursor.tokens;
  return cursor.tokens.slice(0, topLevelWord(cursor, 'AS'));
}

/** The index of the first such word outside parentheses; the number of tokens if there is none. */
function topLevelWord(cursor: TokenCursor, word: string): number {
  let depth = 0;
  for (const [index, token] of cursor.tokens.entries()) {
    if (token.image === '(') depth += 1;
    else if (token.image === ')') depth -= 1;
    else if (depth === 0 && isWord(token, word)) return index;
  }
  return cursor.tokens.length;
}

/**
 * Whether a token may name an upload. This includes a query inside a string, a name that a query would read
 * as a file, and a string that continues in the next one.
 */
function namesUpload(token: IToken, index: number, tokens: readonly IToken[]): boolean {
  if (token.tokenType === QuotedName) return /^\s*upload:\/\//i.test(nameOf(token));
  let text = stringOf(token)?.trimStart();
  if (text === undefined) return false;
  for (let i = index + 1; i < tokens.length; i += 1) {
    const more = stringOf(tokens[i]!);
    if (more === undefined) break;
    text += more;
  }
  return /^upload:\/\/|['"$(]\s*upload:\/\//i.test(text);
}
