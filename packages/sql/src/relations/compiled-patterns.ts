import { isSameName } from '@tessera/common';
import {
  type CaseNode,
  caseOf,
  comparison,
  constant,
  type Expression,
  type FunctionNode,
  type SelectNode,
  type Statement,
  type TableRef,
  transformTree,
  walkTree,
} from '../tree.ts';
import { MANAGED_SCHEMA, type PatternColumn, type TableRelation } from './relation-resolver.ts';

export interface PatternScope {
  /** The managed tables of the statement, by bound name. */
  readonly tables: ReadonlyMap<string, TableRelation>;
  /** The text of the statement from the start of a node: see `partialRegexMatch`. */
  sourceAt(node: Expression): string;
  /** Valid patterns among the values of a column; none if compiling them once gains nothing. */
  patternsOf(column: PatternColumn): Promise<readonly string[]>;
}

/**
 * Where `t.p` has the values `^a`, `b+`, …:
 *     `regexp_like(s, t.p)`
 *     → `CASE WHEN t.p = '^a' THEN regexp_like(s, '^a') WHEN t.p = 'b+' THEN regexp_like(s, 'b+') … ELSE regexp_like(s, t.p) END`
 * The kernel compiles a literal pattern once, and any other pattern for every row, which takes many times as long as the match.
 * Without the ELSE, rows whose pattern is not among the listed ones (added since, invalid, or one too many) would get NULL.
 * Many patterns become a tree of comparisons with `<`, which finds one of n in log n steps.
 */
export async function compiledPatterns(statement: Statement, scope: PatternScope): Promise<Statement> {
  const columns = new Map<string, PatternColumn>();
  withChoices(statement, scope, (column) => {
    columns.set(keyOf(column), column);
    return [];
  });
  if (columns.size === 0) return statement;
  const patterns = new Map<string, readonly string[]>();
  for (const [key, column] of columns) patterns.set(key, (await scope.patternsOf(column)).toSorted(byBytes));
  return withChoices(statement, scope, (column) => patterns.get(keyOf(column)) ?? []);
}

const keyOf = ({ boundName, column }: PatternColumn): string => JSON.stringify([boundName, column]);

/** The order in which the kernel compares texts. */
const byBytes = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b));

function withChoices(
  statement: Statement,
  scope: PatternScope,
  patternsOf: (column: PatternColumn) => readonly string[],
): Statement {
  /** The calls that remain for other patterns: the queries around a subquery must not replace them again. */
  const remaining = new Set<Expression>();
  const replace = (node: Expression, tables: readonly ReferencedTable[]): Expression => {
    const call = remaining.has(node) ? undefined : patternCall(node, scope);
    const column = call && patternColumn(call.pattern, tables);
    if (call === undefined || column === undefined) return node;
    const patterns = patternsOf(column);
    if (patterns.length === 0) return node;
    const rest = { ...node, alias: '' };
    remaining.add(rest);
    return { ...choice(call, patterns, rest), alias: node.alias };
  };
  const inSelect = (select: SelectNode): SelectNode => {
    const tables = referencedTables(select.from_table, scope.tables);
    return tables.length === 0
      ? select
      : transformTree(select, { expression: (node) => replace(node, tables) });
  };
  return transformTree(statement, {
    queryNode: (node) => (node.type === 'SELECT_NODE' ? inSelect(node) : node),
  });
}

interface ReferencedTable {
  readonly alias: string;
  readonly relation: TableRelation;
}

function referencedTables(
  from: TableRef,
  tables: ReadonlyMap<string, TableRelation>,
): readonly ReferencedTable[] {
  if (from.type === 'JOIN')
    return [...referencedTables(from.left, tables), ...referencedTables(from.right, tables)];
  if (from.type !== 'BASE_TABLE' || from.schema_name !== MANAGED_SCHEMA) return [];
  const relation = tables.get(from.table_name);
  return relation === undefined ? [] : [{ alias: from.alias, relation }];
}

/** The column that a pattern is, unless it could belong to several tables. */
function patternColumn(pattern: Expression, tables: readonly ReferencedTable[]): PatternColumn | undefined {
  if (pattern.class !== 'COLUMN_REF') return undefined;
  const [name, owner, ...more] = pattern.column_names.toReversed();
  const found = tables.flatMap(({ alias, relation: { boundName, columns } }) => {
    const column = columns.find((one) => isSameName(one.name, name!));
    const isOwner = owner === undefined || isSameName(owner, alias);
    return column !== undefined && isOwner ? [{ boundName, column: column.name }] : [];
  });
  if (found.length !== 1 || more.length > 0) return undefined;
  return { ...found[0]!, from: tables.map(({ relation }) => relation.boundName) };
}

/** A call whose second argument is a regular expression. */
interface PatternCall {
  readonly pattern: Expression;
  /** The same call with another pattern. */
  with(pattern: Expression): Expression;
}

const PATTERN_FUNCTIONS: ReadonlySet<string> = new Set([
  'regexp_like',
  'regexp_extract',
  'regexp_extract_all',
  'regexp_replace',
  'regexp_replace_all',
  '~*',
  '!~*',
]);

/** The operators `~` and `!~` are known by their text, as in `partialRegexMatch`. */
function patternCall(node: Expression, { sourceAt }: PatternScope): PatternCall | undefined {
  if (node.class === 'OPERATOR' && node.type === 'OPERATOR_NOT') {
    const [child] = node.children;
    if (child?.class !== 'FUNCTION' || child.function_name !== 'regexp_full_match') return undefined;
    return sourceAt(node).startsWith('!~')
      ? callWith(child, (call) => ({ ...node, alias: '', children: [call] }))
      : undefined;
  }
  if (node.class !== 'FUNCTION') return undefined;
  const isCall =
    node.function_name === 'regexp_full_match'
      ? sourceAt(node).startsWith('~')
      : PATTERN_FUNCTIONS.has(node.function_name);
  return isCall ? callWith(node, (call) => ({ ...call, alias: '' })) : undefined;
}

function callWith(call: FunctionNode, whole: (call: FunctionNode) => Expression): PatternCall | undefined {
  const [subject, pattern, ...rest] = call.children;
  if (subject === undefined || pattern === undefined || !canBeRepeated([subject, ...rest])) return undefined;
  return { pattern, with: (other) => whole({ ...call, children: [subject, other, ...rest] }) };
}

/** Whether the arguments are cheap to plan many times: a choice between patterns repeats them, but a row evaluates them once. */
function canBeRepeated(args: readonly Expression[]): boolean {
  let isPlain = true;
  walkTree(args, (node) => {
    isPlain &&= 'class' in node && !/^(?:CASE|SUBQUERY|WINDOW|LAMBDA)$/.test(node.class);
  });
  return isPlain;
}

/** This many equalities are tried one after the other. */
const MAX_LINEAR = 16;

function choice(call: PatternCall, patterns: readonly string[], rest: Expression): CaseNode {
  const { pattern } = call;
  if (patterns.length <= MAX_LINEAR) {
    return caseOf(
      patterns.map((text) => [
        comparison('COMPARE_EQUAL', pattern, constant(text)),
        call.with(constant(text)),
      ]),
      rest,
    );
  }
  const middle = patterns.length >> 1;
  const isBefore = comparison('COMPARE_LESSTHAN', pattern, constant(patterns[middle]!));
  const before = choice(call, patterns.slice(0, middle), rest);
  return caseOf([[isBefore, before]], choice(call, patterns.slice(middle), rest));
}
