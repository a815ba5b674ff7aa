import type { IToken } from 'chevrotain';
import { Close, Comma, isWord, Open, QuotedName, Word } from './lexer.ts';
import type { Omission } from './qualified-words.ts';

/** Matches the words before a parenthesis in which a star means columns, or rows of columns. */
const OF_COLUMNS =
  /^(?:all|and|any|as|by|case|columns|distinct|else|exists|from|hash_agg|having|in|join|not|on|or|over|returning|row|select|set|some|struct_pack|then|unnest|using|values|when|where|with)$/i;

/**
 * The stars of `r.*` where it is a value: the row of `r`, as `r` alone is. The kernel's parser would count all rows for `count(r.*)`.
 *     count(r.*), row_to_json(r.*)   becomes   count(r), row_to_json(r)
 *     r.* IS NULL, (r.*) IS NULL     becomes   r IS NULL, (r) IS NULL
 */
export function wholeRowStars(tokens: readonly IToken[]): readonly Omission[] {
  return tokens.flatMap((star, index) => {
    const [before, name, dot] = [tokens[index - 3], tokens[index - 2], tokens[index - 1]];
    if (star.image !== '*' || dot?.image !== '.' || before?.image === '.' || !isName(name)) return [];
    const isValue = isTested(tokens, index + 1) || isArgument(tokens, index);
    return isValue ? [{ first: dot, last: star }] : [];
  });
}

const isName = (token: IToken | undefined): boolean =>
  token?.tokenType === Word || token?.tokenType === QuotedName;

/** Whether `IS [NOT] NULL` follows a star, which may stand in parentheses. */
function isTested(tokens: readonly IToken[], next: number): boolean {
  const isInside = tokens[next]?.tokenType === Close && tokens[next - 4]?.tokenType === Open;
  const after = isInside && !isCalled(tokens[next - 5]) ? next + 1 : next;
  const [first, second, third] = tokens.slice(after, after + 3);
  return isWord(first, 'IS') && isWord(isWord(second, 'NOT') ? third : second, 'NULL');
}

/** Whether a star is the first argument of a function. */
function isArgument(tokens: readonly IToken[], star: number): boolean {
  const isDistinct = isWord(tokens[star - 3], 'DISTINCT');
  const open = star - (isDistinct ? 4 : 3);
  const next = tokens[star + 1];
  return (
    tokens[open]?.image === '(' &&
    isCalled(tokens[open - 1]) &&
    (next?.tokenType === Close || next?.tokenType === Comma || isWord(next, 'ORDER'))
  );
}

const isCalled = (token: IToken | undefined): boolean =>
  token !== undefined && isName(token) && !OF_COLUMNS.test(token.image);
