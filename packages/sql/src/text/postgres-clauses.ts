import type { IToken } from 'chevrotain';
import { Close, isWord, Open, Word } from './lexer.ts';

/** A part of the text, from `start` to `end`, that the parser does not know, and what it gets instead. */
export interface ReplacedPart {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** A mark that follows the number of rows of a FETCH FIRST … WITH TIES. */
const TIES_MARK = '/*+ties*/';

const WITH_TIES = /^(?:(?!\bonly\b).)*?\/\*\+ties\*\/\s*rows?\s+only/is;

/** Whether the parser's source, from the number of rows of a limit on, was FETCH FIRST … WITH TIES. */
export const isLimitWithTies = (source: string): boolean => WITH_TIES.test(source);

/** The operator that the parser reads for the ESCAPE of a SIMILAR TO. */
const ESCAPE_MARK = '||/*+escape*/';

/** Whether the parser's source, from an operator on, was the ESCAPE of a SIMILAR TO. */
export const isSimilarEscape = (source: string): boolean => source.startsWith(ESCAPE_MARK);

/** The name by which the parser reads `ROWS FROM (`. */
export const ROWS_FROM = 'tsr_rows_from';

/** The name by which the parser reads `DISTINCT` after `GROUP BY`. */
export const DISTINCT_SETS = 'tsr_distinct_sets';

export const RECORD_FUNCTION = /^jsonb?_to_record(?:set)?$/i;

/**
 * Clauses of PostgreSQL that the kernel's parser does not read:
 *     FETCH FIRST 3 ROWS WITH TIES                     →   FETCH FIRST 3 (mark) ROWS ONLY
 *     ROWS FROM (f(x), g(y))                           →   tsr_rows_from(f(x), g(y))
 *     GROUP BY DISTINCT ROLLUP (a), ROLLUP (b)         →   GROUP BY tsr_distinct_sets(), ROLLUP (a), ROLLUP (b)
 *     TABLESAMPLE BERNOULLI (10)                       →   TABLESAMPLE BERNOULLI (10%)
 *     s SIMILAR TO p ESCAPE '#'                        →   s SIMILAR TO p ||(mark) '#'
 *     substring(s SIMILAR p ESCAPE '#')                →   substring(s , p , '#')
 *     jsonb_to_record(d) AS r(a int, b text)           →   jsonb_to_record(d, CAST(NULL AS int), CAST(NULL AS text)) AS r(a, b)
 * @param typeOf the parser's text for a type of the dialect
 */
export function postgresClauses(
  text: string,
  tokens: readonly IToken[],
  typeOf: (type: string) => string,
): readonly ReplacedPart[] {
  return tokens.flatMap((token, i) => {
    if (isWord(token, 'FETCH')) return withTies(tokens, i);
    if (isWord(token, 'ROWS')) return rowsFrom(tokens, i);
    if (isWord(token, 'GROUP')) return distinctSets(tokens, i);
    if (isWord(token, 'TABLESAMPLE')) return percentage(tokens, i);
    if (isWord(token, 'SIMILAR')) return similarEscape(tokens, i);
    return token.tokenType === Word && RECORD_FUNCTION.test(token.image)
      ? recordColumns(text, tokens, i, typeOf)
      : [];
  });
}

function withTies(tokens: readonly IToken[], fetch: number): readonly ReplacedPart[] {
  if (!isWord(tokens[fetch + 1], 'FIRST', 'NEXT')) return [];
  const rows = tokens.findIndex((token, i) => i > fetch + 1 && isWord(token, 'ROW', 'ROWS'));
  if (rows < 0 || !isWord(tokens[rows + 1], 'WITH') || !isWord(tokens[rows + 2], 'TIES')) return [];
  const count = tokens[rows - 1]!;
  const isCounted = rows > fetch + 2;
  const behind = endOf(count);
  return [
    { start: behind, end: behind, text: `${isCounted ? '' : ' 1'}${TIES_MARK}` },
    { start: tokens[rows + 1]!.startOffset, end: endOf(tokens[rows + 2]!), text: 'only' },
  ];
}

function rowsFrom(tokens: readonly IToken[], rows: number): readonly ReplacedPart[] {
  const [from, open] = tokens.slice(rows + 1, rows + 3);
  if (!isWord(from, 'FROM') || open?.image !== '(') return [];
  return [{ start: tokens[rows]!.startOffset, end: endOf(open), text: `${ROWS_FROM}(` }];
}

function distinctSets(tokens: readonly IToken[], group: number): readonly ReplacedPart[] {
  const [by, distinct] = tokens.slice(group + 1, group + 3);
  if (!isWord(by, 'BY') || distinct === undefined || !isWord(distinct, 'DISTINCT')) return [];
  return [{ start: distinct.startOffset, end: endOf(distinct), text: `${DISTINCT_SETS}(),` }];
}

/** The methods of PostgreSQL take a percentage; the number alone is a number of rows for the kernel. */
function percentage(tokens: readonly IToken[], sample: number): readonly ReplacedPart[] {
  const [method, open, number, close] = tokens.slice(sample + 1, sample + 5);
  if (!isWord(method, 'BERNOULLI', 'SYSTEM') || open?.image !== '(' || close?.image !== ')') return [];
  const behind = endOf(number!);
  return [{ start: behind, end: behind, text: '%' }];
}

function similarEscape(tokens: readonly IToken[], similar: number): readonly ReplacedPart[] {
  // Without TO, it is an argument of `substring`.
  const isArgument = !isWord(tokens[similar + 1], 'TO');
  const replaced = (token: IToken, by: string) => ({
    start: token.startOffset,
    end: endOf(token),
    text: by,
  });
  let depth = 0;
  for (const token of tokens.slice(similar + 1)) {
    if (token.tokenType === Open) depth += 1;
    else if (token.tokenType === Close) depth -= 1;
    else if (depth === 0) {
      if (isWord(token, 'ESCAPE'))
        return isArgument
          ? [replaced(tokens[similar]!, ','), replaced(token, ',')]
          : [replaced(token, ESCAPE_MARK)];
      if (isWord(token, 'AND', 'OR', 'LIKE', 'ILIKE', 'SIMILAR') || token.image === ',') return [];
    }
    if (depth < 0) return [];
  }
  return [];
}

/** Moves the types of a list of column definitions into the call before it. */
function recordColumns(
  text: string,
  tokens: readonly IToken[],
  name: number,
  typeOf: (type: string) => string,
): readonly ReplacedPart[] {
  const close = tokens[name + 1]?.image === '(' ? closing(tokens, name + 1) : -1;
  const alias = isWord(tokens[close + 1], 'AS') ? close + 2 : close + 1;
  const open = tokens[alias]?.image === '(' ? alias : alias + 1;
  const end = close > 0 && tokens[open]?.image === '(' ? closing(tokens, open) : -1;
  if (end < 0) return [];
  const types: string[] = [];
  const parts: ReplacedPart[] = [];
  let depth = 0;
  let first = open + 1;
  for (let i = open + 1; i <= end; i += 1) {
    const { tokenType, image } = tokens[i]!;
    if (tokenType === Open) depth += 1;
    if (tokenType === Close && i < end) depth -= 1;
    if (i < end && (depth > 0 || image !== ',')) continue;
    if (i === first + 1) return [];
    const start = tokens[first + 1]!.startOffset;
    const last = endOf(tokens[i - 1]!);
    types.push(`, cast(null as ${typeOf(text.slice(start, last))})`);
    parts.push({ start, end: last, text: '' });
    first = i + 1;
  }
  const at = tokens[close]!.startOffset;
  return [{ start: at, end: at, text: types.join('') }, ...parts];
}

function closing(tokens: readonly IToken[], open: number): number {
  let depth = 0;
  return tokens.findIndex(({ tokenType }, i) => {
    if (i < open) return false;
    if (tokenType === Open) depth += 1;
    if (tokenType === Close) depth -= 1;
    return depth === 0;
  });
}

const endOf = (token: IToken): number => token.startOffset + token.image.length;
