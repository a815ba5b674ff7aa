import type { IToken } from 'chevrotain';
import { isWord, nameOf, stringOf, tokenize, Word } from './lexer.ts';
import { HIDDEN, withoutPasswords } from './without-passwords.ts';

/** A statement with `?` for each of its literals and its spaces and case made equal; text that does not lex stays. */
export function normalizedSql(sql: string): string {
  try {
    let normalized = '';
    for (const token of tokenize(sql)) {
      const image = withoutLiteral(token);
      const isTight = TIGHT_BEFORE.has(image) || normalized === '' || TIGHT_BEHIND.test(normalized);
      normalized += isTight ? image : ` ${image}`;
    }
    return normalized;
  } catch {
    return sql;
  }
}

const TIGHT_BEFORE = new Set([',', ')', ']', '.', '::', ';']);
const TIGHT_BEHIND = /[([.]$|::$/;

function withoutLiteral(token: IToken): string {
  if (token.tokenType.name === 'Number' || token.tokenType.name === 'PrefixedString') return '?';
  if (stringOf(token) !== undefined || isWord(token, 'TRUE', 'FALSE')) return '?';
  return token.tokenType === Word ? nameOf(token) : token.image;
}

const SECRET_NAME = /secret|token|password|credential|key|sas|signature/i;

/**
 * A statement as others may see it: what is given to an option or argument whose name tells of a secret is `'***'`, and so is
 * the password or signature in a URL, and what may be the password of a user. Text that does not lex is not shown at all when it may hold a secret.
 */
export function redactedSql(text: string): string {
  const sql = withoutPasswords(text);
  if (!SECRET_NAME.test(sql) && !sql.includes('@')) return sql;
  try {
    let shown = '';
    let at = 0;
    const tokens = tokenize(sql);
    for (const [index, token] of tokens.entries()) {
      const text = stringOf(token);
      if (text === undefined || !(isGivenToSecret(tokens, index) || isSecretUrl(text))) continue;
      shown += `${sql.slice(at, token.startOffset)}'***'`;
      at = token.startOffset + token.image.length;
    }
    return shown + sql.slice(at);
  } catch {
    return SECRET_NAME.test(sql) ? HIDDEN : sql;
  }
}

/** `NAME = '…'`, `NAME => '…'` or `NAME '…'`. */
function isGivenToSecret(tokens: readonly IToken[], index: number): boolean {
  const before = tokens[index - 1];
  const isSign = before !== undefined && ['=', '=>', ':='].includes(before.image);
  const name = isSign ? tokens[index - 2] : before;
  return name?.tokenType === Word && SECRET_NAME.test(name.image);
}

const isSecretUrl = (text: string): boolean =>
  /^[a-z][a-z0-9+.-]*:\/\/[^/@]*:[^/@]*@/i.test(text) ||
  /^https?:\/\/[^?]*\?.*(?:sig|signature|token|credential|secret)[^=]*=/i.test(text);
