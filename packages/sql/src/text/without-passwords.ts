import type { IToken } from 'chevrotain';
import { isWord, stringOf, tokenize } from './lexer.ts';

/** What a whole text is shown as that cannot be shown. */
export const HIDDEN = '***';

/** What may follow the password of a user, without being part of one that was quoted wrong. */
const BEHIND_PASSWORD = [
  'WITH',
  'SET',
  'IN',
  'PASSWORD',
  'ENCRYPTED',
  'LOGIN',
  'NOLOGIN',
  'ENABLE',
  'ENABLED',
  'DISABLE',
  'DISABLED',
  'DEFAULT_DATABASE',
  'DEFAULT_ROLE',
  'ROLE',
];
/** Options that take a name. */
const NAMED = ['DEFAULT_DATABASE', 'DEFAULT_ROLE', 'ROLE'];

/**
 * A text with `'***'` for the passwords in `CREATE | ALTER USER | ROLE`. Strings of such a statement count as passwords
 * wherever they stand, and where one is not quoted as it should be nothing from there on is shown.
 */
export function withoutPasswords(sql: string): string {
  if (!mayBeAboutUser(sql)) return sql;
  let tokens: readonly IToken[];
  try {
    tokens = tokenize(sql);
  } catch {
    return HIDDEN;
  }
  let shown = '';
  let at = 0;
  let isAboutUser = false;
  let hasPassword = false;
  for (const [index, token] of tokens.entries()) {
    shown += between(sql.slice(at, token.startOffset), isAboutUser);
    at = token.startOffset + token.image.length;
    const next = tokens[index + 1];
    if (isWord(token, 'CREATE', 'ALTER') && isWord(next, 'USER', 'ROLE')) isAboutUser = true;
    else if (token.image === ';') isAboutUser = false;
    const isString = stringOf(token) !== undefined;
    const isPassword = isGivenAsPassword(tokens, index);
    if (!isAboutUser) hasPassword = false;
    if (!isAboutUser || !(isString || isPassword)) {
      if (hasPassword && !isOption(tokens, index)) return shown;
      shown += token.image;
      continue;
    }
    hasPassword = true;
    const isNull = isWord(token, 'NULL');
    shown += isNull ? token.image : "'***'";
    if (!(isString || isNull)) return shown;
  }
  return shown + between(sql.slice(at), isAboutUser);
}

/** What stands between tokens: comments in a statement about a user may be part of a password that is not quoted. */
const between = (gap: string, isAboutUser: boolean): string => (isAboutUser && gap.trim() !== '' ? ' ' : gap);

/** Tells without reading the tokens of long texts of other kinds; a comment may stand between the words. */
const mayBeAboutUser = (sql: string): boolean =>
  /\b(?:create|alter)\s+(?:user|role)\b/i.test(sql) ||
  (/--|\/\*/.test(sql) && /\b(?:create|alter)\b/i.test(sql) && /\b(?:user|role)\b/i.test(sql));

/** An option that may stand behind a password, or the name that it takes. */
function isOption(tokens: readonly IToken[], index: number): boolean {
  const token = tokens[index];
  if (isWord(token, ...BEHIND_PASSWORD)) return true;
  const before = tokens[index - 1];
  if (token?.image === '=') return isWord(before, 'PASSWORD', ...NAMED);
  return isWord(before?.image === '=' ? tokens[index - 2] : before, ...NAMED);
}

/** `PASSWORD x` or `PASSWORD = x`. */
function isGivenAsPassword(tokens: readonly IToken[], index: number): boolean {
  if (tokens[index]?.image === ';') return false;
  if (isWord(tokens[index - 1], 'PASSWORD')) return tokens[index]?.image !== '=';
  return tokens[index - 1]?.image === '=' && isWord(tokens[index - 2], 'PASSWORD');
}
