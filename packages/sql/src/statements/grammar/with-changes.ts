import { fail, type SqlLocation } from '@tessera/common';
import type { IToken } from 'chevrotain';
import { isWord, nameOf } from '../../text/lexer.ts';
import { locationAt } from '../../text/location.ts';
import type { TokenCursor } from '../../text/token-cursor.ts';
import type { ChangeInWith } from '../statement.ts';

const CHANGES = ['INSERT', 'UPDATE', 'DELETE', 'MERGE'];

/** A change in WITH: the indices of the parentheses around it, and the token of its name. */
interface Found {
  readonly open: number;
  readonly close: number;
  readonly name: IToken;
}

/** The relation with the rows that a change in WITH returns, by its position; it exists while the statement runs. */
export const relationOfChange = (index: number): { readonly schema: string; readonly name: string } => ({
  schema: '$with',
  name: `$${index + 1}`,
});

/**
 * `WITH a AS (DELETE … RETURNING …), … SELECT …` → the changes, and the statement that reads their rows from their relations
 * (`relationOfChange`); undefined if WITH contains no change. What follows a change keeps its offset.
 * @throws TesseraError NOT_SUPPORTED for a change in a WITH inside of the statement, and for a change without RETURNING whose rows
 * are read
 */
export function withChanges({
  text,
  tokens,
}: TokenCursor): { readonly changes: readonly ChangeInWith[]; readonly sql: string } | undefined {
  const found = isWord(tokens[0], 'WITH') ? changesIn(text, tokens) : [];
  if (found.length === 0) return undefined;
  let sql = text;
  const changes = found.map(({ open, close, name }, i): ChangeInWith => {
    const start = tokens[open]!.startOffset + 1;
    const end = tokens[close]!.startOffset;
    const isReturning = tokens.slice(open, close).some((token) => isWord(token, 'RETURNING'));
    if (!isReturning) refuseUse(text, tokens, open, name);
    const before = textBefore(tokens, name);
    const change = sql.slice(0, before) + blank(text.slice(before, start)) + text.slice(start, end);
    const relation = relationOfChange(i);
    const query = isReturning ? `FROM "${relation.schema}"."${relation.name}"` : 'SELECT 1';
    sql = sql.slice(0, start) + query + blank(text.slice(start + query.length, end)) + text.slice(end);
    return { name: nameOf(name), sql: change, isReturning };
  });
  return { changes, sql };
}

/** The end of what stands before the name, without its comma; 0 for the first name of the WITH. */
function textBefore(tokens: readonly IToken[], name: IToken): number {
  const previous = tokens[tokens.indexOf(name) - 1]!;
  return previous.image === ',' ? previous.startOffset : 0;
}

const blank = (text: string): string => text.replace(/[^\n]/g, ' ');

function changesIn(text: string, tokens: readonly IToken[]): readonly Found[] {
  const found: Found[] = [];
  const open: number[] = [];
  for (const [i, { image }] of tokens.entries()) {
    if (image === '(') open.push(i);
    if (image !== ')') continue;
    const start = open.pop() ?? 0;
    const name = isWord(tokens[start + 1], ...CHANGES) ? nameOfBody(tokens, start) : undefined;
    if (name === undefined) continue;
    if (open.length > 0)
      fail(
        'NOT_SUPPORTED',
        {
          what: `${tokens[start + 1]!.image.toUpperCase()} in a WITH inside of a statement`,
          hint: 'move it to the WITH at the beginning of the statement',
        },
        { location: placeOf(text, tokens[start + 1]!) },
      );
    found.push({ open: start, close: i, name });
  }
  return found;
}

/** The name in `name [(columns)] AS [[NOT] MATERIALIZED] (`; undefined if something else stands before the parenthesis. */
function nameOfBody(tokens: readonly IToken[], open: number): IToken | undefined {
  let at = open - 1;
  if (isWord(tokens[at], 'MATERIALIZED')) at -= isWord(tokens[at - 1], 'NOT') ? 2 : 1;
  if (!isWord(tokens[at], 'AS')) return undefined;
  at -= 1;
  if (tokens[at]?.image === ')') {
    while (at > 0 && tokens[at]!.image !== '(') at -= 1;
    at -= 1;
  }
  const before = tokens[at - 1];
  const isListed = before?.image === ',' || isWord(before, 'WITH', 'RECURSIVE');
  return isListed ? tokens[at] : undefined;
}

/** Refuses a FROM clause that names a change without RETURNING. */
function refuseUse(text: string, tokens: readonly IToken[], from: number, name: IToken): void {
  const use = tokens.find(
    (token, i) =>
      i > from &&
      isWord(tokens[i - 1], 'FROM', 'JOIN', 'USING') &&
      token.image.toLowerCase() === name.image.toLowerCase(),
  );
  if (use === undefined) return;
  fail(
    'NOT_SUPPORTED',
    { what: `Reading "${nameOf(name)}"`, hint: 'this WITH query does not have a RETURNING clause' },
    { location: placeOf(text, use) },
  );
}

const placeOf = (text: string, { startOffset, image }: IToken): SqlLocation | undefined =>
  locationAt(text, startOffset, startOffset + image.length);
