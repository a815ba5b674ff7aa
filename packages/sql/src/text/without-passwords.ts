import type { IToken } from 'chevrotain';
import { isWord, stringOf, tokenize } from './lexer.ts';

/** Shown instead of a text that must be hidden entirely. */
export const HIDDEN = '***';

/** Words that may follow a user's password and cannot be a part of an incorrectly quoted one. */
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
/** Options whose value is a name. */
const NAMED = ['DEFAULT_DATABASE', 'DEFAULT_ROLE', 'ROLE'];

/**
 * Replaces the passwords in `CREATE | ALTER USER | ROLE` by `'***'`. All strings of such a statement count as
 * passwords. If one is not quoted properly, the rest of the text is hidden.
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

/**
 * The text between tokens. A comment in a statement about a user may be part of an unquoted password, so it
 * is dropped.
 */
const between = (gap: string, isAboutUser: boolean): string => (isAboutUser && gap.trim() !== '' ? ' ' : gap);

/** A quick test that does not tokenize long texts of other kinds; a comment may stand between the words. */
const mayBeAboutUser = (sql: string): boolean =>
  /\b(?:create|alter)\s+(?:user|role)\b/i.test(sql) ||
  (/--|\/\*/.test(sql) && /\b(?:create|alter)\b/i.test(sql) && /\b(?:user|role)\b/i.test(sql));

/** Whether a token is an option that may follow a password, or the name that such an option takes. */
function isOption(tokens: readonly IToken[], index: number): boolean {
  const token = tokens[index];
  if (isWord(token, ...BEHIND_PASSWORD)) return true;
  const before = tokens[index - 1];
  if (token?.image === '=') return isWord(before, 'PASSWORD', ...NAMED);
  return isWord(before?.image === '=' ? tokens[index - 2] : before, ...NAMED);
}

/** Whether a token is the value of a password option: `PASSWORD x` or `PASSWORD = x`. */
function isGivenAsPassword(tokens: readonly IToken[], index: number): boolean {
  if (tokens[index]?.image === ';') return false;
  if (isWord(tokens[index - 1], 'PASSWORD')) return tokens[index]?.image !== '=';
  return tokens[index - 1]?.image === '=' && isWord(tokens[index - 2], 'PASSWORD');
}
