import { fail, type SqlLocation } from '@tessera/common';
import { operatorCall } from '../functions/expressions.ts';
import type { ParsedQuery } from '../parse/parse.ts';
import type { QueryParameter } from '../rewrites/parameters.ts';
import {
  call,
  cast,
  constant,
  type Expression,
  type FunctionNode,
  operator,
  type Statement,
  stringLiteral,
  transformTree,
  walkTree,
} from '../tree.ts';
import type { Mention } from './relation-resolver.ts';

/** The catalog's sequences for one statement. Names are texts, in the form that `nextval` takes. */
export interface SequenceResolver {
  /**
   * The kernel sequence that holds the next values. @throws TesseraError UNDEFINED_TABLE, FORBIDDEN,
   * SEQUENCE_EXHAUSTED
   */
  next(name: string, mention: Mention): Promise<string>;
  /**
   * The last value that the session took from this sequence, or from any. @throws TesseraError
   * NO_SEQUENCE_VALUE
   */
  current(name: string | undefined, mention: Mention): Promise<bigint>;
  /** Declares that the values of column `column` of the output set the sequence (see `settingOf`). */
  set(name: string, column: number, mention: Mention): Promise<void>;
  /** The sequence of a column, as a name for `next`; undefined if the column has none. */
  owned(table: string, column: string, mention: Mention): Promise<string | undefined>;
}

/** Decodes a value of a `setval` column. */
export const settingOf = (encoded: bigint): { readonly value: bigint; readonly isCalled: boolean } => ({
  value: encoded >> 1n,
  isCalled: (encoded & 1n) === 1n,
});

const FUNCTIONS = new Set(['nextval', 'currval', 'lastval', 'setval', 'pg_get_serial_sequence']);
/** The functions whose results depend on an earlier setval. */
const TAKING = new Set(['nextval', 'currval', 'lastval']);
const SCHEMAS = new Set(['', 'main', 'pg_catalog']);

const isSequenceCall = (node: Expression): node is FunctionNode =>
  node.class === 'FUNCTION' &&
  node.catalog === '' &&
  SCHEMAS.has(node.schema) &&
  FUNCTIONS.has(node.function_name.toLowerCase());

interface SequenceScope {
  readonly sequences: SequenceResolver | undefined;
  readonly parameters: readonly QueryParameter[];
  readonly database: string;
  readonly view: string | undefined;
}

/**
 * `nextval('s')` → `nextval` of a sequence of the session; `currval('s')`, `lastval()` → a number, or the kernel's `currval` after
 * a `nextval` in the same statement, which is right for single rows only;
 * `setval('s', v, c)` → the number `2 * v + c`, which the runner of the query decodes (`settingOf`).
 * @throws TesseraError NOT_SUPPORTED for a name that is not a literal
 */
export async function sequenceCalls(
  { statement, locate }: ParsedQuery,
  scope: SequenceScope,
): Promise<Statement> {
  const calls = callsIn(statement);
  if (calls.length === 0) return statement;
  const replaced = new Map<Expression, Expression>();
  const drawn = new Map<string, string>();
  let isSet = false;
  for (const node of calls) {
    const name = node.function_name.toLowerCase();
    // The value is set when the query has returned it, so a later call would not see it.
    if (isSet && TAKING.has(name))
      fail(
        'NOT_SUPPORTED',
        { what: `${name} after setval in one statement` },
        { location: locate(node.query_location) },
      );
    isSet ||= name === 'setval';
    const call = new SequenceCall(scope, drawn, locate(node.query_location));
    const replacement = await call.of(node, statement);
    if (replacement !== undefined) replaced.set(node, replacement);
  }
  return transformTree(statement, { expression: (node) => replaced.get(node) ?? node });
}

/** The calls of sequence functions, without those that are an argument of another. */
function callsIn(statement: Statement): readonly FunctionNode[] {
  const found: FunctionNode[] = [];
  const inner = new Set<Expression>();
  walkTree(statement, (node) => {
    if (!('class' in node) || !isSequenceCall(node)) return;
    found.push(node);
    for (const child of node.children) inner.add(uncast(child));
  });
  return found.filter((node) => !inner.has(node));
}

const uncast = (node: Expression): Expression => (node.class === 'CAST' ? uncast(node.child) : node);

function readsRows(statement: Statement): boolean {
  let found = false;
  walkTree(statement, (node) => {
    found ||= !('class' in node) && 'sample' in node && !('cte_map' in node) && !SINGLE_ROWS.has(node.type);
  });
  return found;
}

const SINGLE_ROWS: ReadonlySet<string> = new Set(['EMPTY', 'EXPRESSION_LIST']);

class SequenceCall {
  readonly #scope: SequenceScope;
  /** The kernel's sequences that earlier calls of the statement draw from, by name, the last one under the empty name. */
  readonly #drawn: Map<string, string>;
  readonly #location: SqlLocation | undefined;

  constructor(scope: SequenceScope, drawn: Map<string, string>, location: SqlLocation | undefined) {
    this.#scope = scope;
    this.#drawn = drawn;
    this.#location = location;
  }

  async of(node: FunctionNode, statement: Statement): Promise<Expression | undefined> {
    const name = node.function_name.toLowerCase();
    const [first, value, isCalled = constant(true)] = node.children;
    if (name === 'pg_get_serial_sequence') return this.#owned(node);
    const sequences = this.#scope.sequences ?? this.#refuse(name);
    const { alias, query_location } = node;
    if (this.#isNull(first)) {
      const none = cast(constant(null), 'BIGINT');
      return { ...none, alias: alias === '' ? name : alias, query_location };
    }
    switch (name) {
      case 'nextval': {
        const sequence = await this.#sequence(name, first);
        const drawn = await sequences.next(sequence, this.#mention);
        for (const key of [sequence, '']) this.#drawn.set(key, drawn);
        return { ...call('nextval', constant(drawn)), alias, query_location };
      }
      case 'setval': {
        const column = statement.node.type === 'SELECT_NODE' ? statement.node.select_list.indexOf(node) : -1;
        if (column < 0 || value === undefined)
          this.#refuse('setval except as an item of the outermost SELECT');
        await sequences.set(await this.#sequence(name, first), column, this.#mention);
        const flag = cast(operator('OPERATOR_COALESCE', isCalled, constant(true)), 'INTEGER');
        const doubled = operatorCall('*', cast(value!, 'BIGINT'), constant(2));
        const encoded = cast(operatorCall('+', doubled, flag), 'BIGINT');
        return { ...encoded, alias: alias === '' ? name : alias, query_location };
      }
      default: {
        const of = name === 'lastval' ? undefined : await this.#sequence(name, first);
        const drawn = this.#drawn.get(of ?? '');
        if (drawn !== undefined && readsRows(statement))
          this.#refuse(`${name} after nextval in a query of rows`);
        const number =
          drawn === undefined
            ? cast(constant(String(await sequences.current(of, this.#mention))), 'BIGINT')
            : call('currval', constant(drawn));
        return { ...number, alias: alias === '' ? name : alias, query_location };
      }
    }
  }

  /** A call whose arguments are not literals stays and looks the sequence up. */
  async #owned(node: FunctionNode): Promise<Expression | undefined> {
    const [table, column] = node.children.map((child) => this.#text(child));
    if (table === undefined || column === undefined) return undefined;
    const name = await this.#scope.sequences?.owned(table, column, this.#mention);
    const { alias, query_location } = node;
    const text = name === undefined ? cast(constant(null), 'VARCHAR') : constant(name);
    return { ...text, alias: alias === '' ? 'pg_get_serial_sequence' : alias, query_location };
  }

  async #sequence(name: string, argument: Expression | undefined): Promise<string> {
    const inner = argument && uncast(argument);
    if (inner !== undefined && isSequenceCall(inner) && inner.children.length === 2) {
      const [table = '', column = ''] = inner.children.map((child) => this.#text(child) ?? '');
      const owned = await this.#scope.sequences?.owned(table, column, this.#mention);
      if (owned !== undefined) return owned;
    }
    return this.#text(argument) ?? this.#refuse(`${name} of a name that is no literal`);
  }

  #text(argument: Expression | undefined): string | undefined {
    const inner = argument && uncast(argument);
    if (inner?.class === 'PARAMETER') {
      const given = this.#scope.parameters.find(({ name }) => name === `$${inner.identifier}`);
      return given?.value === undefined || given.value === null ? undefined : String(given.value);
    }
    return inner && stringLiteral(inner);
  }

  /**
   * Whether an argument is a parameter that is NULL, or that has no value because the statement is only
   * described.
   */
  #isNull(argument: Expression | undefined): boolean {
    const inner = argument && uncast(argument);
    return inner?.class === 'PARAMETER' && this.#text(inner) === undefined;
  }

  get #mention(): Mention {
    const { view, database } = this.#scope;
    return { view, database, location: this.#location };
  }

  #refuse(what: string): never {
    return fail('NOT_SUPPORTED', { what }, { location: this.#location });
  }
}
