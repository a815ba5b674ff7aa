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
];

/**
 * A text with `'***'` for the passwords in `CREATE | ALTER USER | ROLE`. Strings of such a statement count as passwords
 * wherever they stand, and where one is not quoted as it should be nothing from there on is shown.
 */
export function withoutPasswords(sql: string): string {
  if (!/\b(?:user|role)\b/i.test(sql) || !/\b(?:create|alter)\b/i.test(sql)) return sql;
  let tokens: readonly IToken[];
  try {
    tokens = tokenize(sql);
  } catch {
    return HIDDEN;
  }
  let shown = '';
  let at = 0;
  let isAboutUser = false;
  for (const [index, token] of tokens.entries()) {
    if (isWord(token, 'CREATE', 'ALTER') && isWord(tokens[index + 1], 'USER', 'ROLE')) isAboutUser = true;
    else if (token.image === ';') isAboutUser = false;
    if (!isAboutUser) continue;
    const isString = stringOf(token) !== undefined;
    const isPassword = isGivenAsPassword(tokens, index);
    if (!isString && !isPassword) continue;
    shown += `${sql.slice(at, token.startOffset)}'***'`;
    at = token.startOffset + token.image.length;
    const next = tokens[index + 1];
    const isClean = next === undefined || next.image === ';' || isWord(next, ...BEHIND_PASSWORD);
    if (!isString || !isClean) return shown;
  }
  return shown + sql.slice(at);
}

/** `PASSWORD x` or `PASSWORD = x`, NULL left out. */
function isGivenAsPassword(tokens: readonly IToken[], index: number): boolean {
  const token = tokens[index]!;
  if (token.image === '=' || token.image === ';' || isWord(token, 'NULL')) return false;
  const before = tokens[index - 1]?.image === '=' ? index - 2 : index - 1;
  return isWord(tokens[before], 'PASSWORD');
}
