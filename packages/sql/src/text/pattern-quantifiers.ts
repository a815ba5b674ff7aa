import type { IToken } from 'chevrotain';
import { isWord, Open } from './lexer.ts';

/** The calls that stand for the quantifiers of patterns, whose names no function has. */
export const QUANTIFIERS = [
  { words: ['ANY', 'SOME'], quantifier: 'ANY', name: 'any of the patterns' },
  { words: ['ALL'], quantifier: 'ALL', name: 'all of the patterns' },
] as const;

/**
 * The quantifiers in `x LIKE ANY (patterns)` and its siblings, with the names of the calls that stand for them: the kernel's
 * parser takes them only after other operators. A subquery in place of the array stays, and is refused there.
 */
export const patternQuantifiers = (
  tokens: readonly IToken[],
): readonly { readonly token: IToken; readonly name: string }[] =>
  tokens.flatMap((token, index) => {
    const found = QUANTIFIERS.find(({ words }) => isWord(token, ...words));
    const isBehindLike = isWord(tokens[index - 1], 'LIKE', 'ILIKE') || isMatchOperator(tokens, index - 1);
    const [open, first] = tokens.slice(index + 1, index + 3);
    if (found === undefined || !isBehindLike || open?.tokenType !== Open) return [];
    return isWord(first, 'SELECT', 'WITH', 'VALUES', 'TABLE') ? [] : [{ token, name: found.name }];
  });

const MATCH_OPERATORS: ReadonlySet<string> = new Set(['~', '~*', '!~', '!~*']);

/** Whether an operator of regular expressions ends at a token: `~`, `~*`, `!~` or `!~*`, which may be several tokens. */
function isMatchOperator(tokens: readonly IToken[], at: number): boolean {
  let text = '';
  let end: number | undefined;
  for (let i = at; i >= 0 && i > at - 3; i -= 1) {
    const token = tokens[i]!;
    if (!/^[~*!]+$/.test(token.image)) break;
    if (end !== undefined && token.startOffset + token.image.length !== end) break;
    end = token.startOffset;
    text = token.image + text;
  }
  return MATCH_OPERATORS.has(text);
}
