import { fail } from '@tessera/common';
import type { IToken } from 'chevrotain';
import { Close, isParameter, isWord, Open, Word } from './lexer.ts';
import { locationAt } from './location.ts';
import { parameterBeyond } from './token-count.ts';

/**
 * Planning time grows with the square of some of these counts. A statement within the limits is planned in
 * seconds.
 */
export const STATEMENT_LIMITS = {
  /** The number of words, names, literals, operators, commas and brackets. */
  tokens: 50_000,
  /** The same for an INSERT: the time for rows of literals grows linearly. */
  insertTokens: 2_000_000,
  /** The number of items in one SELECT list. */
  columns: 4_096,
  setOperations: 1_000,
  /** The number of AND and OR in one query, without those in further brackets. 12,000 take ten times as long as 4,000. */
  conditions: 4_096,
  /**
   * The number of joins in one query, with JOIN or a comma. The kernel searches for the best order of the relations, which takes a
   * second for 60.
   */
  joins: 48,
  /** The number of joins in all queries of the statement together. */
  allJoins: 200,
  /** The nesting depth of scalar subqueries: each level doubles the time to bind them. */
  valueSubqueries: 12,
  parameters: 65_535,
} as const;

const { tokens: _, ...COUNTED_LIMITS } = STATEMENT_LIMITS;
/** A statement with fewer tokens is within every limit. */
const SMALLEST = Math.min(...Object.values(COUNTED_LIMITS));

/** Keywords before a subquery that is a relation or a condition, not a scalar subquery. */
const BEFORE_RELATIONS = new Set(['FROM', 'JOIN', 'LATERAL', 'AS', 'MATERIALIZED', 'USING']);

const SET_OPERATIONS = new Set(['UNION', 'INTERSECT', 'EXCEPT']);
/** Words that end a list of columns or relations. */
const ENDS_LIST = new Set([
  ...['FROM', 'WHERE', 'GROUP', 'HAVING', 'WINDOW', 'QUALIFY', 'ORDER', 'LIMIT', 'RETURNING', 'SET'],
  ...SET_OPERATIONS,
]);
const ORDERED_ALONE = new Set(['GROUP', 'LIMIT', ...SET_OPERATIONS]);

/**
 * Refuses a statement by its token counts, before any step whose time grows faster than linearly with the
 * statement.
 * @throws TesseraError STATEMENT_TOO_COMPLEX at the first item beyond the limit
 */
export function checkStatementSize(text: string, tokens: readonly IToken[]): void {
  if (tokens.length <= SMALLEST) return;
  const counts = {
    columns: 0,
    setOperations: 0,
    conditions: 0,
    joins: 0,
    allJoins: 0,
    parameters: 0,
    valueSubqueries: 0,
  };
  const parameters = new Set<string>();
  /** Open scopes, indexed by bracket depth. */
  const scopes: Scope[] = [newScope(0)];
  const join = (scope: Scope) => {
    counts.joins = scope.joins += 1;
    counts.allJoins += 1;
  };
  for (const [index, token] of tokens.entries()) {
    const scope = scopes.at(-1)!;
    if (token.tokenType === Open) {
      counts.valueSubqueries = scope.values + (isValueSubquery(tokens, index) ? 1 : 0);
      scopes.push(newScope(counts.valueSubqueries));
    } else if (token.tokenType === Close && scopes.length > 1) {
      scopes.pop();
      if (!scope.isOrderedAlone) counts.joins = scopes.at(-1)!.joins += scope.joins;
    } else if (token.tokenType === Word) {
      const word = token.image.toUpperCase();
      if (word === 'SELECT') scope.columns = 1;
      else if (word === 'JOIN') join(scope);
      else if (word === 'AND' || word === 'OR') counts.conditions = scope.conditions += 1;
      else if (ENDS_LIST.has(word)) {
        scope.columns = undefined;
        scope.isInFrom = word === 'FROM' && !isWord(tokens[index - 1], 'DISTINCT');
      }
      if (ORDERED_ALONE.has(word)) scope.isOrderedAlone = true;
      if (SET_OPERATIONS.has(word)) {
        counts.setOperations += 1;
        scope.joins = 0;
      }
    } else if (token.image === ',') {
      if (scope.columns !== undefined) counts.columns = scope.columns += 1;
      else if (scope.isInFrom) join(scope);
    } else if (isParameter(token)) counts.parameters = parameters.add(token.image).size;
    for (const what of COUNTED) {
      if (counts[what] > STATEMENT_LIMITS[what]) refuse(what, text, token);
    }
  }
}

interface Scope {
  /** The number of items of the SELECT list so far; undefined outside of a list. */
  columns: number | undefined;
  isInFrom: boolean;
  conditions: number;
  /** Counts for the query that is being read. */
  joins: number;
  /**
   * The kernel orders the joins of a subquery together with those around it, unless the subquery groups or
   * limits its rows.
   */
  isOrderedAlone: boolean;
  /** The number of enclosing scalar subqueries. */
  readonly values: number;
}

const newScope = (values: number): Scope => ({
  columns: undefined,
  isInFrom: false,
  conditions: 0,
  joins: 0,
  isOrderedAlone: false,
  values,
});

/**
 * The maximum number of tokens of a statement of the text, by its first token. An INSERT may have so many tokens that its
 * parameters are counted before it is read: reading them takes most of the time until the refusal.
 * @throws TesseraError STATEMENT_TOO_COMPLEX at the first parameter beyond the limit
 */
export function maxTokens(text: string): (first: IToken) => number {
  const { tokens, insertTokens, parameters } = STATEMENT_LIMITS;
  const mayHaveMore = hasMoreDollars(text, parameters);
  return (first) => {
    if (!isWord(first, 'INSERT')) return tokens;
    const beyond = mayHaveMore ? parameterBeyond(text, first.startOffset, parameters) : undefined;
    if (beyond !== undefined) refuse('parameters', text, beyond);
    return insertTokens;
  };
}

/** Whether a text has more dollar signs than `limit`. Counting them takes little time beside a look at each character. */
function hasMoreDollars(text: string, limit: number): boolean {
  if (text.length <= limit) return false;
  let count = 0;
  for (let at = text.indexOf('$'); at >= 0 && count <= limit; at = text.indexOf('$', at + 1)) count += 1;
  return count > limit;
}

/** Whether a bracket opens a scalar subquery, and not one in FROM or WITH. */
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

function refuse(
  what: keyof typeof NAMES,
  text: string,
  { startOffset, image }: Pick<IToken, 'startOffset' | 'image'>,
): never {
  const location = locationAt(text, startOffset, startOffset + image.length);
  fail('STATEMENT_TOO_COMPLEX', { what: NAMES[what], limit: STATEMENT_LIMITS[what] }, { location });
}

const NAMES = {
  columns: 'columns in a SELECT list',
  setOperations: 'set operations (UNION, INTERSECT, EXCEPT)',
  conditions: 'conditions joined with AND or OR',
  joins: 'joins in a query',
  allJoins: 'joins',
  valueSubqueries: 'levels of subqueries that stand for values',
  parameters: 'parameters',
} as const;
const COUNTED = Object.keys(NAMES) as (keyof typeof NAMES)[];
