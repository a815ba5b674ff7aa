import type { IToken } from 'chevrotain';
import { isWord, nameOf, stringOf, tokenize, Word } from './lexer.ts';
import { HIDDEN, withoutPasswords } from './without-passwords.ts';

/**
 * A statement with `?` for each literal and with uniform spaces and case. A text that cannot be tokenized
 * stays as it is.
 */
export function normalizedSql(sql: string): string {
  try {
    let normalized = '';
    let before: string | undefined;
    for (const token of tokenize(sql)) {
      const image = withoutLiteral(token);
      const isTight = before === undefined || TIGHT_BEFORE.has(image) || TIGHT_BEHIND.has(before);
      normalized += isTight ? image : ` ${image}`;
      before = image;
    }
    return normalized;
  } catch {
    return sql;
  }
}

const TIGHT_BEFORE = new Set([',', ')', ']', '.', '::', ';']);
const TIGHT_BEHIND = new Set(['(', '[', '.', '::']);

function withoutLiteral(token: IToken): string {
  if (token.tokenType.name === 'Number' || token.tokenType.name === 'PrefixedString') return '?';
  if (stringOf(token) !== undefined || isWord(token, 'TRUE', 'FALSE')) return '?';
  return token.tokenType === Word ? nameOf(token) : token.image;
}

const SECRET_NAME = /secret|token|password|credential|key|sas|signature/i;

/**
 * A statement in the form that other users may see. Values of options and arguments whose names indicate a
 * secret become `'***'`, and so do passwords or signatures in URLs and possible passwords of users. A text
 * that cannot be tokenized and may contain a secret is hidden entirely.
 */
export function redactedSql(text: string): string {
  return withoutSecrets(withoutPasswords(text), () => true, isMisplaced);
}

/**
 * The query of a view in the form that its readers may see: secrets in READ_* calls become `'***'`.
 * Conditions stay, whatever their columns are called.
 */
export function redactedQuery(sql: string): string {
  return withoutSecrets(sql, isInReadCall);
}

function withoutSecrets(
  sql: string,
  mayBeArgument: (tokens: readonly IToken[], index: number) => boolean,
  isSuspect: (tokens: readonly IToken[], index: number) => boolean = () => false,
): string {
  if (!SECRET_NAME.test(sql) && !sql.includes('@')) return sql;
  try {
    let shown = '';
    let at = 0;
    const tokens = tokenize(sql);
    const namesCredentials = tokens.some((token) => isWord(token, 'CREDENTIALS'));
    for (const [index, token] of tokens.entries()) {
      const text = stringOf(token);
      if (text === undefined) continue;
      const isArgument = isGivenToSecret(tokens, index) && mayBeArgument(tokens, index);
      const isMistake = namesCredentials && isSuspect(tokens, index);
      if (!isArgument && !isMistake && !isSecretUrl(text)) continue;
      shown += `${sql.slice(at, token.startOffset)}'***'`;
      at = token.startOffset + token.image.length;
    }
    return shown + sql.slice(at);
  } catch {
    return SECRET_NAME.test(sql) ? HIDDEN : sql;
  }
}

/**
 * Whether a text is the value of no option, which happens if a statement with CREDENTIALS has a mistake:
 * neither `NAME '…'` nor `NAME = '…'`.
 */
function isMisplaced(tokens: readonly IToken[], index: number): boolean {
  const before = tokens[index - 1];
  const isSign = before?.image === '=' || before?.image === '=>';
  return (isSign ? tokens[index - 2] : before)?.tokenType !== Word;
}

/** Whether a token is inside the parentheses of a READ_* call. */
function isInReadCall(tokens: readonly IToken[], index: number): boolean {
  let depth = 0;
  for (let i = index - 1; i > 0; i -= 1) {
    const { image } = tokens[i]!;
    if (image === ')') depth += 1;
    else if (image === '(' && depth > 0) depth -= 1;
    else if (image === '(' && /^"?read_/i.test(tokens[i - 1]!.image)) return true;
  }
  return false;
}

/** Whether a text is the value of a secret option: `NAME = '…'`, `NAME => '…'` or `NAME '…'`. */
function isGivenToSecret(tokens: readonly IToken[], index: number): boolean {
  const before = tokens[index - 1];
  const isSign = before !== undefined && ['=', '=>', ':='].includes(before.image);
  const name = isSign ? tokens[index - 2] : before;
  return name?.tokenType === Word && SECRET_NAME.test(name.image);
}

/**
 * A URL in the form that others may see: without its password, and without a query string that contains a
 * signature.
 */
export function redactedUrl(url: string): string {
  if (!isSecretUrl(url)) return url;
  return url.replace(/^([^/]*:\/\/)[^/@]*@/, '$1***@').replace(/\?.*$/s, '?***');
}

const isSecretUrl = (text: string): boolean =>
  /^[a-z][a-z0-9+.-]*:\/\/[^/@]*:[^/@]*@/i.test(text) ||
  /^https?:\/\/[^?]*\?.*(?:sig|signature|token|credential|secret)[^=]*=/i.test(text);
