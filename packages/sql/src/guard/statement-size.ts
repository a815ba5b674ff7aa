import { fail } from '@tessera/common';
import type { IToken } from 'chevrotain';
import { Close, isParameter, isWord, Open, Word } from '../text/lexer.ts';
import { locationAt } from '../text/location.ts';

/** Planning time grows with the square of some of these, and a statement within them is planned in seconds. */
export const STATEMENT_LIMITS = {
  /** Words, names, literals, operators, commas and brackets. */
  tokens: 50_000,
  /** The same of an INSERT: rows of literals take time that grows with their number alone. */
  insertTokens: 2_000_000,
  /** Of one SELECT list. */
  columns: 4_096,
  setOperations: 1_000,
  joins: 64,
  /** One in the other where a value stands: the time to bind them doubles with each. */
  valueSubqueries: 12,
  parameters: 65_535,
} as const;

const { tokens: _, ...COUNTED_LIMITS } = STATEMENT_LIMITS;
/** A statement with fewer tokens is within every limit. */
const SMALLEST = Math.min(...Object.values(COUNTED_LIMITS));

/** What stands before a subquery that is no value. */
const BEFORE_RELATIONS = new Set(['FROM', 'JOIN', 'LATERAL', 'AS', 'MATERIALIZED', 'USING']);

const SET_OPERATIONS = new Set(['UNION', 'INTERSECT', 'EXCEPT']);
/** Words behind which a list of columns is over. */
const ENDS_COLUMNS = new Set(['FROM', 'WHERE', 'GROUP', 'ORDER', 'LIMIT', ...SET_OPERATIONS]);

/**
 * Refuses a statement by its tokens, before anything is done whose time grows faster than the statement.
 * @throws TesseraError STATEMENT_TOO_COMPLEX with the place of what is one too many
 */
export function checkStatementSize(text: string, tokens: readonly IToken[]): void {
  if (tokens.length <= SMALLEST) return;
  const counts = { columns: 0, setOperations: 0, joins: 0, parameters: 0, valueSubqueries: 0 };
  /** By depth of brackets: how many subqueries that are values are open. */
  const values = [0];
  const parameters = new Set<string>();
  /** By depth of brackets: columns so far of the SELECT list there, undefined outside of one. */
  const columns: (number | undefined)[] = [undefined];
  for (const [index, token] of tokens.entries()) {
    const depth = columns.length - 1;
    if (token.tokenType === Open) {
      columns.push(undefined);
      counts.valueSubqueries = values[depth]! + (isValueSubquery(tokens, index) ? 1 : 0);
      values.push(counts.valueSubqueries);
    } else if (token.tokenType === Close && depth > 0) {
      columns.pop();
      values.pop();
    } else if (token.tokenType === Word) {
      const word = token.image.toUpperCase();
      if (word === 'SELECT') columns[depth] = 1;
      else if (word === 'JOIN') counts.joins += 1;
      else if (ENDS_COLUMNS.has(word)) columns[depth] = undefined;
      if (SET_OPERATIONS.has(word)) counts.setOperations += 1;
    } else if (token.image === ',' && columns[depth] !== undefined) {
      counts.columns = columns[depth] += 1;
    } else if (isParameter(token)) counts.parameters = parameters.add(token.image).size;
    for (const what of COUNTED) {
      if (counts[what] > STATEMENT_LIMITS[what]) refuse(what, text, token);
    }
  }
}

/** How many tokens a statement may have that begins with this token. */
export const maxTokens = (first: IToken): number =>
  isWord(first, 'INSERT') ? STATEMENT_LIMITS.insertTokens : STATEMENT_LIMITS.tokens;

/** Whether a bracket opens a subquery, and not one in FROM or WITH. */
function isValueSubquery(tokens: readonly IToken[], open: number): boolean {
  if (!isWord(tokens[open + 1], 'SELECT', 'WITH', 'VALUES')) return false;
  const before = tokens[open - 1];
  return before?.tokenType !== Word || !BEFORE_RELATIONS.has(before.image.toUpperCase());
}

/** @throws TesseraError STATEMENT_TOO_COMPLEX */
export function refuseTokens(limit: number): never {
  fail('STATEMENT_TOO_COMPLEX', {
    what: 'words, names, literals and symbols',
    limit,
    hint: 'Pass a long list as one array parameter, as in "x = ANY($1)", or load it with COPY or an upload',
  });
}

function refuse(what: keyof typeof NAMES, text: string, token: IToken): never {
  const location = locationAt(text, token.startOffset, token.startOffset + token.image.length);
  fail('STATEMENT_TOO_COMPLEX', { what: NAMES[what], limit: STATEMENT_LIMITS[what] }, { location });
}

const NAMES = {
  columns: 'columns in a SELECT list',
  setOperations: 'set operations (UNION, INTERSECT, EXCEPT)',
  joins: 'joins',
  valueSubqueries: 'levels of subqueries that stand for values',
  parameters: 'parameters',
} as const;
const COUNTED = Object.keys(NAMES) as (keyof typeof NAMES)[];
