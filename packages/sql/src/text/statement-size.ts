import { fail } from '@tessera/common';
import type { IToken } from 'chevrotain';
import { Close, Comma, isParameter, isWord, Open, Word } from './lexer.ts';
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
  /** The number of names in WITH clauses: the kernel nests the queries in each other. */
  ctes: 500,
  /** The parser repeats what stands between CASE and the first WHEN for every other WHEN, also in what it repeats. */
  repeatedTokens: 50_000,
  parameters: 65_535,
} as const;

/** Keywords before a subquery that is a relation or a condition, not a scalar subquery. */
const BEFORE_RELATIONS = new Set(['FROM', 'JOIN', 'LATERAL', 'AS', 'MATERIALIZED', 'USING']);

const SET_OPERATIONS = new Set(['UNION', 'INTERSECT', 'EXCEPT']);
/** Words that end a list of columns or relations. */
const ENDS_LIST = new Set([
  ...['FROM', 'WHERE', 'GROUP', 'HAVING', 'WINDOW', 'QUALIFY', 'ORDER', 'LIMIT', 'RETURNING', 'SET'],
  ...SET_OPERATIONS,
]);
/** Words that begin the statement after WITH. */
const BODIES = new Set(['SELECT', 'VALUES', 'INSERT', 'UPDATE', 'DELETE', 'MERGE']);
const ORDERED_ALONE = new Set(['GROUP', 'LIMIT', ...SET_OPERATIONS]);

/**
 * Counts the tokens of one statement of a text as they are read, so that a statement is refused at the first item beyond a
 * limit, before the rest is read and before any step whose time grows faster than linearly with the statement.
 */
export class StatementSize {
  readonly #text: string;
  readonly #parameters = new Set<string>();
  /** Open scopes, indexed by bracket depth. */
  readonly #scopes: Scope[] = [newScope(0)];
  #setOperations = 0;
  #allJoins = 0;
  #ctes = 0;
  #tokens = 0;
  /** The number of tokens that the parser repeats for the branches of CASE. */
  #repeated = 0;
  /** The expressions of CASE that are not read to their end, outermost first: where each begins, and its repeated part. */
  readonly #cases: { readonly from: number; subject: number | undefined }[] = [];
  /** The last token, and the one before it. */
  #last: IToken | undefined;
  #before: IToken | undefined;

  constructor(text: string) {
    this.#text = text;
  }

  /** @throws TesseraError STATEMENT_TOO_COMPLEX */
  add(token: IToken): void {
    const scope = this.#scopes.at(-1)!;
    const { tokenType } = token;
    this.#tokens += 1;
    if (this.#last?.tokenType === Open && this.#beginsValueSubquery(token)) {
      scope.values += 1;
      this.#check('valueSubqueries', scope.values, this.#last);
    }
    if (tokenType === Open && scope.isInWith && isWord(this.#last, 'AS', 'MATERIALIZED'))
      this.#check('ctes', ++this.#ctes, token);
    if (tokenType === Open) this.#scopes.push(newScope(scope.values));
    else if (tokenType === Close) this.#close(token);
    else if (tokenType === Word) this.#addWord(token, scope);
    else if (tokenType === Comma) this.#addComma(token, scope);
    else if (isParameter(token)) this.#check('parameters', this.#parameters.add(token.image).size, token);
    this.#before = this.#last;
    this.#last = token;
  }

  #addWord(token: IToken, scope: Scope): void {
    const word = token.image.toUpperCase();
    if (word === 'WITH') scope.isInWith = true;
    else if (BODIES.has(word)) scope.isInWith = false;
    if (word === 'SELECT') scope.columns = 1;
    else if (word === 'CASE') this.#cases.push({ from: this.#tokens + this.#repeated, subject: undefined });
    else if (word === 'WHEN') this.#addBranch(token);
    else if (word === 'END') this.#cases.pop();
    else if (word === 'JOIN') this.#addJoin(token, scope);
    else if (word === 'AND' || word === 'OR') this.#check('conditions', ++scope.conditions, token);
    else if (ENDS_LIST.has(word)) {
      scope.columns = undefined;
      scope.isInFrom = word === 'FROM' && !isWord(this.#last, 'DISTINCT');
    }
    if (ORDERED_ALONE.has(word)) scope.isOrderedAlone = true;
    if (SET_OPERATIONS.has(word)) {
      this.#check('setOperations', ++this.#setOperations, token);
      scope.joins = 0;
    }
  }

  #addBranch(token: IToken): void {
    const current = this.#cases.at(-1);
    if (current === undefined) return;
    if (current.subject === undefined) current.subject = this.#tokens + this.#repeated - current.from - 1;
    else this.#repeated += current.subject;
    this.#check('repeatedTokens', this.#repeated, token);
  }

  #addComma(token: IToken, scope: Scope): void {
    if (scope.columns !== undefined) this.#check('columns', ++scope.columns, token);
    else if (scope.isInFrom) this.#addJoin(token, scope);
  }

  #addJoin(token: IToken, scope: Scope): void {
    this.#check('joins', ++scope.joins, token);
    this.#check('allJoins', ++this.#allJoins, token);
  }

  #close(token: IToken): void {
    if (this.#scopes.length === 1) return;
    const { joins, isOrderedAlone } = this.#scopes.pop()!;
    const around = this.#scopes.at(-1)!;
    if (isOrderedAlone) return;
    around.joins += joins;
    this.#check('joins', around.joins, token);
  }

  /** Whether a bracket that this token follows opens a scalar subquery, and not one in FROM or WITH. */
  #beginsValueSubquery(token: IToken): boolean {
    if (!isWord(token, 'SELECT', 'WITH', 'VALUES')) return false;
    const before = this.#before;
    return before?.tokenType !== Word || !BEFORE_RELATIONS.has(before.image.toUpperCase());
  }

  #check(what: keyof typeof NAMES, count: number, token: IToken): void {
    if (count > STATEMENT_LIMITS[what]) refuse(what, this.#text, token);
  }
}

interface Scope {
  /** The number of items of the SELECT list so far; undefined outside of a list. */
  columns: number | undefined;
  isInFrom: boolean;
  isInWith: boolean;
  conditions: number;
  /** Counts for the query that is being read. */
  joins: number;
  /**
   * The kernel orders the joins of a subquery together with those around it, unless the subquery groups or
   * limits its rows.
   */
  isOrderedAlone: boolean;
  /** The number of enclosing scalar subqueries. */
  values: number;
}

const newScope = (values: number): Scope => ({
  columns: undefined,
  isInFrom: false,
  isInWith: false,
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

/** Whether a text has more dollar signs than `limit`. Counting them takes little time in comparison with a look at each character. */
function hasMoreDollars(text: string, limit: number): boolean {
  if (text.length <= limit) return false;
  let count = 0;
  for (let at = text.indexOf('$'); at >= 0 && count <= limit; at = text.indexOf('$', at + 1)) count += 1;
  return count > limit;
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
  ctes: 'names in WITH clauses',
  repeatedTokens:
    'words, names, literals and symbols that CASE repeats: those before the first WHEN, for every other WHEN',
  parameters: 'parameters',
} as const;
