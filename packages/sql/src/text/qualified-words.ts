import type { IToken } from 'chevrotain';
import { isWord, Open, QuotedName } from './lexer.ts';

/** A part of the text to hide from the parser. */
export interface Omission {
  readonly first: IToken;
  readonly last: IToken;
}

const isCatalog = (token: IToken | undefined): boolean =>
  isWord(token, 'PG_CATALOG') || (token?.tokenType === QuotedName && token.image === '"pg_catalog"');

const isDefault = (token: IToken | undefined): boolean =>
  isWord(token, 'DEFAULT') || (token?.tokenType === QuotedName && token.image === '"default"');

/**
 * Finds qualified names of PostgreSQL that the kernel's parser does not accept, as psql and other clients
 * write them:
 *     x::pg_catalog.text               becomes   x::text
 *     x OPERATOR(pg_catalog.~) y       becomes   x ~ y
 *     x COLLATE pg_catalog.default     becomes   x
 */
export function qualifiedWords(tokens: readonly IToken[]): readonly Omission[] {
  return tokens.flatMap((token, index) => {
    const after = (count: number) => tokens[index + count];
    if (isCatalog(token) && after(1)?.image === '.' && isTypePlace(tokens[index - 1])) {
      return [{ first: token, last: after(1)! }];
    }
    if (isWord(token, 'OPERATOR') && after(1)?.tokenType === Open && isCatalog(after(2))) {
      return operatorOf(tokens, index);
    }
    if (!isWord(token, 'COLLATE')) return [];
    const isQualified = isCatalog(after(1)) && after(2)?.image === '.';
    const name = after(isQualified ? 3 : 1);
    if (isDefault(name)) return [{ first: token, last: name! }];
    return isQualified ? [{ first: after(1)!, last: after(2)! }] : [];
  });
}

const isTypePlace = (before: IToken | undefined): boolean => before?.image === '::' || isWord(before, 'AS');

/** The omissions that leave only the operator of `OPERATOR(pg_catalog.~)`. */
function operatorOf(tokens: readonly IToken[], index: number): readonly Omission[] {
  const close = tokens.findIndex((token, at) => at > index + 3 && token.image === ')');
  if (tokens[index + 3]?.image !== '.' || close < 0) return [];
  return [
    { first: tokens[index]!, last: tokens[index + 3]! },
    { first: tokens[close]!, last: tokens[close]! },
  ];
}
