import { fail, inTurns, pauses, requireValidText, type SqlLocation, TesseraError } from '@tessera/common';
import { type BindingSession, kernelErrorToTessera } from '@tessera/kernel';
import { byteOffsets, locationAt, nameLocation } from '../text/location.ts';
import { kernelSource } from '../text/source.ts';
import {
  type Expression,
  NO_LOCATION,
  printTree,
  type QueryLocation,
  type Statement,
  transformTree,
  treeSteps,
} from '../tree.ts';
import { isExpression, isQueryNode, isTableRef, visitChildren } from '../tree-transform.ts';

/**
 * Planning time grows with the cube of the depth of an expression and cannot be interrupted: 300 levels take
 * half a second.
 */
export const EXPRESSION_LIMITS = {
  levels: 300,
  /** The number of expressions per statement that may have more than `deepLevels` levels. */
  deepExpressions: 8,
  deepLevels: 100,
  /** The number of grouping sets of a query; `CUBE (a, b, c)` is eight. Each groups all rows. */
  groupingSets: 512,
} as const;

/**
 * Refuses a parsed statement whose expressions are nested too deeply: `a + b + c` has two levels, like
 * `f(g(x))`.
 * @throws TesseraError STATEMENT_TOO_COMPLEX
 */
export function checkExpressionDepth(statement: unknown): void {
  const { levels, deepExpressions, deepLevels } = EXPRESSION_LIMITS;
  let deep = 0;
  const count = (depth: number) => {
    if (depth > levels) refuse('levels of expressions', levels);
    if (depth > deepLevels) deep += 1;
    if (deep > deepExpressions) refuse(`expressions of more than ${deepLevels} levels`, deepExpressions);
  };
  /**
   * The levels under `node` that belong to the surrounding expression. Expressions of subqueries are counted
   * separately.
   */
  const levelsOf = (node: unknown, isInExpression: boolean): number => {
    if (node === null || typeof node !== 'object') return 0;
    const isOne = isExpression(node);
    if (isQueryNode(node) && node.type === 'SELECT_NODE') checkGroupingSets(node.group_sets.length);
    const isInside = isOne || (isInExpression && !isQueryNode(node) && !isTableRef(node));
    let most = 0;
    visitChildren(node, (child) => {
      most = Math.max(most, levelsOf(child, isInside));
    });
    if (isOne) most += 1;
    if (isInExpression) return isInside ? most : 0;
    if (isOne) count(most);
    return 0;
  };
  levelsOf(statement, false);
}

function checkGroupingSets(count: number): void {
  const { groupingSets: limit } = EXPRESSION_LIMITS;
  const hint = 'Group by fewer columns, or in several statements';
  if (count > limit) fail('STATEMENT_TOO_COMPLEX', { what: 'grouping sets in a query', limit, hint });
}

function refuse(what: string, limit: number): never {
  const hint = 'Use functions that take many arguments, such as concat(a, b, c), or subqueries';
  fail('STATEMENT_TOO_COMPLEX', { what, limit, hint });
}

/**
 * Adds parentheses where the kernel's printer omits them and its parser would read another tree:
 *     (~a) + 1            is printed   ~(a) + 1           and read as   ~(a + 1)
 *     (-a)[1]             is printed   -(a)[1]            and read as   -(a[1])
 *     x BETWEEN (a COLLATE c) AND b   is printed without them and is a syntax error
 * A conjunction with a single operand makes the printer write just a pair of parentheses.
 */
export const withPrintedParentheses = <T>(tree: T): T =>
  transformTree(tree, {
    expression: (node) => {
      if (node.class === 'COLLATE' || isPrefixOperator(node)) return parenthesised(node);
      if (node.class !== 'OPERATOR' || !SUBSCRIPTS.has(node.type)) return node;
      const [subject, ...rest] = node.children;
      if (subject === undefined || subject.class === 'COLUMN_REF' || subject.class === 'CONJUNCTION')
        return node;
      return { ...node, children: [parenthesised(subject), ...rest] };
    },
  });

const SUBSCRIPTS: ReadonlySet<string> = new Set(['ARRAY_EXTRACT', 'ARRAY_SLICE']);

const isPrefixOperator = (node: Expression): boolean =>
  node.class === 'FUNCTION' && node.is_operator && node.children.length === 1;

const parenthesised = (node: Expression): Expression => ({
  class: 'CONJUNCTION',
  type: 'CONJUNCTION_AND',
  alias: node.alias,
  query_location: NO_LOCATION,
  children: [{ ...node, alias: '' }],
});

export interface ParsedQuery {
  readonly statement: Statement;
  /** The place of a node in the text of the whole statement. */
  locate(at: QueryLocation): SqlLocation | undefined;
  /** The text that the parser saw, from the start of a node. */
  sourceAt(at: QueryLocation): string;
  /** Lets other requests proceed between two passes over the tree of a statement, if they take long. */
  pause(): Promise<void>;
}

/**
 * Parses the query that begins at `offset` of `text` (and ends before a settings suffix) with the kernel's parser.
 * @throws TesseraError SYNTAX_ERROR with its place, NOT_SUPPORTED, STATEMENT_TOO_COMPLEX
 */
export async function parseQuery(
  session: BindingSession,
  text: string,
  query: { readonly sql: string; readonly offset: number },
): Promise<ParsedQuery> {
  // The kernel's parser takes a C string, so it would ignore everything after a NUL character.
  requireValidText(query.sql, 'the statement');
  const source = kernelSource(query.sql);
  const offsetOf = byteOffsets(source.text);
  const toUser = (byte: number) => query.offset + source.originalOffset(offsetOf(byte));
  const answer = await session.scalar('SELECT json_serialize_sql($1::VARCHAR)', [source.text]);
  const pause = pauses();
  const parsed = (await inTurns(treeSteps(String(answer)), pause)) as SerializedQuery;
  if (parsed.error) {
    const before = (byte: number) => source.text.slice(0, offsetOf(byte));
    throw parseError(parsed, before, (byte) => locationAt(text, toUser(byte)));
  }
  const [statement, more] = parsed.statements;
  if (statement === undefined || more !== undefined) {
    return fail('SYNTAX_ERROR', { message: 'Expected exactly one query' });
  }
  await pause();
  checkExpressionDepth(statement);
  return {
    statement,
    locate: (at) => (at >= 0 ? nameLocation(text, toUser(at)) : undefined),
    sourceAt: (at) => (at >= 0 ? source.text.slice(offsetOf(at)) : ''),
    pause,
  };
}

/** Prints a parse tree as the kernel's SQL. */
export async function deparse(session: BindingSession, statement: Statement): Promise<string> {
  const tree = printTree({ error: false, statements: [withPrintedParentheses(statement)] });
  return String(await session.scalar('SELECT json_deserialize_sql($1::VARCHAR)', [tree]));
}

type SerializedQuery =
  | { readonly error: false; readonly statements: readonly Statement[] }
  | {
      readonly error: true;
      readonly error_type: string;
      readonly error_message: string;
      readonly position?: string;
    };

/** The kernel's parser reports a failed allocation as an error of the statement. */
const FAILED_ALLOCATION = /^(?:std::bad_alloc|Allocation failure$|Failed to allocate block of \d)/;

function parseError(
  { error_type, error_message, position }: Extract<SerializedQuery, { error: true }>,
  before: (byte: number) => string,
  locate: (byte: number) => SqlLocation,
): TesseraError {
  if (/^Only SELECT statements/.test(error_message)) {
    return TesseraError.of('NOT_SUPPORTED', { what: 'A statement of this kind' });
  }
  // Without FROM, the parser takes FOR for an alias.
  const isLock =
    LOCK.test(error_message) &&
    position !== undefined &&
    /\bFOR\s+(?:(?:NO\s+)?KEY\s+)?$/i.test(before(Number(position)));
  if (isLock || /^SELECT locking clause/.test(error_message)) {
    const hint =
      'no row is ever locked: transactions have snapshot isolation, and a COMMIT that conflicts with another change fails (40001)';
    return TesseraError.of('NOT_SUPPORTED', { what: 'SELECT … FOR UPDATE or FOR SHARE', hint });
  }
  if (/^SELECT INTO not supported/.test(error_message)) {
    return TesseraError.of('NOT_SUPPORTED', { what: 'SELECT … INTO', hint: 'use CREATE TABLE … AS' });
  }
  if (error_type === 'out of memory' || FAILED_ALLOCATION.test(error_message))
    return kernelErrorToTessera(`Out of Memory Error: ${error_message}`);
  const location = position === undefined ? undefined : locate(Number(position));
  if (/^A CTE needs a SELECT/.test(error_message)) {
    const what = 'INSERT, UPDATE, DELETE or MERGE in a WITH inside of a statement';
    const hint = 'move it to the WITH at the beginning of the statement';
    return TesseraError.of('NOT_SUPPORTED', { what, hint }, { location });
  }
  const [, clause] = /^(ORDER BY|LIMIT or OFFSET) in a recursive query/.exec(error_message) ?? [];
  if (clause !== undefined) {
    const hint = 'use it in the query that reads the recursive one';
    return TesseraError.of('NOT_SUPPORTED', { what: `${clause} in a recursive query`, hint }, { location });
  }
  const [, window] = /^window "(.*)" does not exist/i.exec(error_message) ?? [];
  if (window !== undefined)
    return TesseraError.of('UNDEFINED_OBJECT', { what: 'Window', name: window }, { location });
  const [, called] = WRONG_COUNT.exec(error_message) ?? [];
  if (called !== undefined) {
    const text = `${called.toLowerCase()} cannot be called with this number of arguments`;
    return TesseraError.of('UNDEFINED_FUNCTION', { message: text }, { location });
  }
  const [, name, words] = TRANSLATIONS.find(([says]) => says.test(error_message)) ?? [];
  // Words that are quoted for the kernel's parser are quoted twice in its message.
  const message = words ?? capitalised(error_message.replace(/at or near ""(\w+)""/, 'at or near "$1"'));
  return TesseraError.of(name ?? 'SYNTAX_ERROR', { message }, { location });
}

const LOCK = /at or near "+(?:update|share|no|key)"/i;

/** The parser itself counts the arguments of some functions. */
const WRONG_COUNT =
  /^(?:Incorrect number of parameters for function|Wrong number of arguments (?:provided )?(?:for|to)) (?:__internal_)?(\w+?)(?:_operator\.|\.| function| expression)?$/;

type ParserError = 'SYNTAX_ERROR' | 'WINDOWING_ERROR' | 'DUPLICATE_ALIAS' | 'WRONG_OBJECT_TYPE';

/** Messages of the kernel's parser, the errors that they are, and their texts if those of the parser do not help. */
const TRANSLATIONS: readonly (readonly [says: RegExp, name: ParserError, words?: string])[] = [
  [
    /^Max expression depth|memory exhausted/,
    'SYNTAX_ERROR',
    'The statement is nested too deep: at most 1000 levels of expressions',
  ],
  [/^errhint NOT IMPLEMENTED/i, 'SYNTAX_ERROR', 'LIMIT a, b is not the syntax: use LIMIT b OFFSET a'],
  [
    /^(?:frame |cannot (?:copy|override) |window functions are not)|^window ".*" is already/i,
    'WINDOWING_ERROR',
  ],
  [/^Duplicate CTE name/, 'DUPLICATE_ALIAS', 'WITH defines a name twice'],
  [
    /^Unknown ordered aggregate/,
    'WRONG_OBJECT_TYPE',
    'WITHIN GROUP is only for percentile_cont, percentile_disc and mode; others take their order as in array_agg(x ORDER BY x)',
  ],
];

const capitalised = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
