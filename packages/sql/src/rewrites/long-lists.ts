import { literalInteger, operatorCall } from '../functions/expressions.ts';
import {
  call,
  cast,
  constant,
  type Expression,
  type FunctionNode,
  isExpression,
  NO_LOCATION,
  type Statement,
  selectAll,
  someExpression,
  stringLiteral,
  type TableFunctionRef,
  type TableRef,
  transformTree,
  walkTree,
} from '../tree.ts';

/** Functions that make a list, with the argument that says how long it is. */
const LENGTHS: Readonly<Record<string, number>> = {
  tsr_resized: 1,
  tsr_repeat: 1,
  range: 1,
  generate_series: 1,
};

const OF_SERIES = /^(?:range|generate_series)$/;

/** The kernel computes lists of up to this many elements while it plans, in about 0.02 seconds. */
const MAX_PLANNED = 100_000;

/**
 * Makes the kernel compute long lists when it runs a query, not when it plans it:
 *     length(range(12400000))         →   length(range(12400000 * CAST(random() * 0 + 1 AS BIGINT)))
 *     … FROM unnest(range(12400000))  →   … FROM (SELECT unnest(range(12400000 * CAST(random() * 0 + 1 AS BIGINT))) AS unnest) AS unnest
 * The kernel folds a function of constants while it plans, and evaluates the arguments of a table function: element by element, in
 * forty times the time, in memory that no limit counts, and without noticing that the query was cancelled. It does not fold a volatile
 * function.
 */
export function longLists(statement: Statement): Statement {
  if (!someExpression(statement, makesLongList)) return statement;
  // A series in FROM is a relation, whose rows are made when they are read.
  const ofTables = new Set<Expression>();
  walkTree(statement, (node) => {
    if (!isExpression(node) && node.type === 'TABLE_FUNCTION') ofTables.add(node.function);
  });
  const unfolded = new Set<Expression>();
  return transformTree(statement, {
    expression: (node) => {
      if (!makesLongList(node) || ofTables.has(node)) return node;
      const list = notFolded(node);
      unfolded.add(list);
      return list;
    },
    tableRef: (node) => (node.type === 'TABLE_FUNCTION' ? unnested(node, unfolded) : node),
  });
}

function unnested(node: TableFunctionRef, unfolded: ReadonlySet<Expression>): TableRef {
  const { function: called, with_ordinality, column_name_alias, sample, query_location } = node;
  const [list, ...more] = called.children;
  const isUnnest = called.function_name === 'unnest' && more.length === 0;
  if (!isUnnest || with_ordinality !== 'WITHOUT_ORDINALITY' || !unfolded.has(list!)) return node;
  const nothing: TableRef = { type: 'EMPTY', alias: '', sample: null, query_location: NO_LOCATION };
  const select_list = [{ ...call('unnest', list!), alias: 'unnest' }];
  const subquery = { node: { ...selectAll(nothing), select_list }, named_param_map: [] };
  return {
    type: 'SUBQUERY',
    alias: node.alias || 'unnest',
    sample,
    query_location,
    subquery,
    column_name_alias,
  };
}

function makesLongList(node: Expression): node is FunctionNode {
  if (node.class !== 'FUNCTION' || !Object.hasOwn(LENGTHS, node.function_name)) return false;
  const { children, function_name: name } = node;
  const isSeries = OF_SERIES.test(name);
  const [first, second, step] = children;
  if (first === undefined || (second === undefined && !isSeries) || !children.every(isConstant)) return false;
  // A text is no number, which the kernel reports.
  if (children.slice(LENGTHS[name]).some((child) => stringLiteral(child) !== undefined)) return false;
  if (!isSeries) return !isShort(integerOf(second!));
  if (second === undefined) return !isShort(integerOf(first));
  const [from, to, by] = [integerOf(first), integerOf(second), step === undefined ? 1 : integerOf(step)];
  return from === undefined || to === undefined || by === undefined || !isShort((to - from) / by);
}

const isShort = (count: number | undefined): boolean => count !== undefined && count <= MAX_PLANNED;

/** Whether an expression has one value for all rows. */
const isConstant = (node: Expression): boolean =>
  !someExpression(
    node,
    ({ class: kind }) => kind === 'COLUMN_REF' || kind === 'SUBQUERY' || kind === 'PARAMETER',
  );

/** The value of an integer that is written as a literal or as a sum, difference or product of such; undefined for anything else. */
function integerOf(node: Expression): number | undefined {
  if (node.class === 'CAST') return /INT/.test(node.cast_type.id) ? integerOf(node.child) : undefined;
  if (node.class !== 'FUNCTION') return literalInteger(node);
  const [left, right] = node.children.map(integerOf);
  if (left === undefined || (right === undefined && node.children.length > 1)) return undefined;
  switch (node.function_name) {
    case '+':
      return left + (right ?? 0);
    case '-':
      return right === undefined ? -left : left - right;
    case '*':
      return right === undefined ? undefined : left * right;
    default:
      return undefined;
  }
}

/** The argument that says how long the list is, or the step of a series, times a one that the kernel does not know. */
function notFolded(node: FunctionNode): FunctionNode {
  const { children, function_name: name } = node;
  const one = cast(operatorCall('+', operatorCall('*', call('random'), constant(0)), constant(1)), 'BIGINT');
  const at =
    children.length === 3 && OF_SERIES.test(name) ? 2 : Math.min(LENGTHS[name]!, children.length - 1);
  return {
    ...node,
    children: children.map((child, i) => (i === at ? operatorCall('*', child, one) : child)),
  };
}
