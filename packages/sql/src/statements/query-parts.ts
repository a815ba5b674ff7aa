import type { IToken } from 'chevrotain';
import { Close, isParameter, isWord, nameOf, Open, QuotedName, tokenize, Word } from '../text/lexer.ts';

/** A query in parentheses inside another query. */
export interface QueryPart {
  /** The offsets of the query in the text, in UTF-16 units, without the parentheses. */
  readonly start: number;
  readonly end: number;
  /** The query itself. */
  readonly text: string;
}

/**
 * The largest queries in parentheses that may mean the same on their own: subqueries, derived tables and the queries of CTEs. They read a
 * relation, contain no parameter and mention no name that the rest of the text defines. A part that depends on the rows around
 * it is not recognised here: it does not bind on its own.
 */
export function queryParts(text: string): readonly QueryPart[] {
  const tokens = tokenize(text);
  const closing = closingOf(tokens);
  const defined = definedNames(tokens, closing);
  const parts: QueryPart[] = [];
  for (let at = 0; at < tokens.length; at += 1) {
    const close = closing.get(at);
    if (close === undefined || !isWord(tokens[at + 1], 'SELECT') || isWord(tokens[at - 1], 'LATERAL'))
      continue;
    const inside = tokens.slice(at + 1, close);
    if (!isIndependent(inside, defined)) continue;
    const start = inside[0]!.startOffset;
    const last = inside.at(-1)!;
    const end = last.startOffset + last.image.length;
    parts.push({ start, end, text: text.slice(start, end) });
    at = close;
  }
  return parts;
}

/** The text with other queries in the places of some of its parts, which must be in the order of the text. */
export function withParts(
  text: string,
  parts: readonly (Pick<QueryPart, 'start' | 'end'> & { readonly replacement: string })[],
): string {
  let out = '';
  let at = 0;
  for (const { start, end, replacement } of parts) {
    out += text.slice(at, start) + replacement;
    at = end;
  }
  return out + text.slice(at);
}

const isName = ({ tokenType }: IToken): boolean => tokenType === Word || tokenType === QuotedName;

const isIndependent = (tokens: readonly IToken[], defined: ReadonlySet<string>): boolean =>
  tokens.some((token) => isWord(token, 'FROM')) &&
  !tokens.some((token) => isParameter(token) || (isName(token) && defined.has(folded(token))));

const folded = (token: IToken): string => nameOf(token).toLowerCase();

/** The position of the closing parenthesis of each opening one. */
function closingOf(tokens: readonly IToken[]): ReadonlyMap<number, number> {
  const closing = new Map<number, number>();
  const open: number[] = [];
  for (const [at, { tokenType }] of tokens.entries()) {
    if (tokenType === Open) open.push(at);
    else if (tokenType === Close) closing.set(open.pop() ?? at, at);
  }
  return closing;
}

/** The names of CTEs: `name [(columns)] AS [[NOT] MATERIALIZED] (`. */
function definedNames(tokens: readonly IToken[], closing: ReadonlyMap<number, number>): ReadonlySet<string> {
  const opening = new Map([...closing].map(([open, close]) => [close, open]));
  const names = new Set<string>();
  for (const [at, token] of tokens.entries()) {
    if (!isWord(token, 'AS')) continue;
    let next = at + 1;
    while (isWord(tokens[next], 'NOT', 'MATERIALIZED')) next += 1;
    if (tokens[next]?.image !== '(') continue;
    const before = tokens[at - 1]?.image === ')' ? (opening.get(at - 1) ?? 0) - 1 : at - 1;
    const name = tokens[before];
    if (name !== undefined && isName(name)) names.add(folded(name));
  }
  return names;
}
