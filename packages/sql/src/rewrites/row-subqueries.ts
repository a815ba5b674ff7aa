import { fail, type SqlLocation } from '@tessera/common';
import {
  and,
  type ComparisonNode,
  call,
  caseOf,
  column,
  comparison,
  constant,
  type Expression,
  type FunctionNode,
  NO_LOCATION,
  operator,
  or,
  type QueryNode,
  type Statement,
  type SubqueryNode,
  selectAll,
  someExpression,
  transformTree,
} from '../tree.ts';
import { isRow, pairOfRows } from './row-comparisons.ts';

type Locate = (at: Expression['query_location']) => SqlLocation | undefined;

const ROWS = 'tsr_rows';

/**
 * Compares a row with the rows of a subquery as SQL defines it, for `IN`, `ANY` and `ALL` with every operator, and with the only
 * row of a subquery:
 *     (a, b) IN (query)   →   CASE WHEN EXISTS (SELECT 1 FROM (query) AS r(x, y) WHERE a = x AND b = y) THEN true
 *                                  WHEN EXISTS (SELECT 1 FROM (query) AS r(x, y) WHERE (a = x AND b = y) IS NULL) THEN NULL
 *                                  ELSE false END
 *     (a, b) < (query)    →   (SELECT a < x OR (a = x AND b < y) FROM (query) AS r(x, y))
 * A condition of WHERE, HAVING or QUALIFY needs only the first EXISTS, because NULL and false are the same there.
 *
 * The kernel answers NULL for every row without a match as soon as one field of the subquery is NULL, so `NOT IN`
 * loses rows. It also compares each field on its own: `(1, 5) > ALL (SELECT 2, 4)` would be true.
 */
export function rowSubqueries(statement: Statement, locate: Locate): Statement {
  if (!someExpression(statement, (node) => comparedRow(node) !== undefined || isComparedWithRow(node)))
    return statement;
  const matches = new Map<Expression, Expression>();
  const asCondition = (condition: Expression | null): Expression | null => {
    if (condition?.class !== 'CONJUNCTION') return condition && (matches.get(condition) ?? condition);
    return { ...condition, children: condition.children.map((part) => asCondition(part)!) };
  };
  return transformTree(statement, {
    expression: (node) => {
      if (isComparedWithRow(node)) return comparedWithRow(node, locate);
      const row = comparedRow(node);
      if (row === undefined || node.class !== 'SUBQUERY') return node;
      checkWidth(node, row.children.length, locate);
      const { alias, query_location } = node;
      const { match, value } = comparedRows(node, row);
      const named = { ...value, alias, query_location };
      matches.set(named, match);
      return named;
    },
    queryNode: (node) =>
      node.type === 'SELECT_NODE'
        ? {
            ...node,
            where_clause: asCondition(node.where_clause),
            having: asCondition(node.having),
            qualify: asCondition(node.qualify),
          }
        : node,
  });
}

function comparedRow(node: Expression): FunctionNode | undefined {
  if (node.class !== 'SUBQUERY' || node.subquery_type !== 'ANY' || node.child === null) return undefined;
  return isRow(node.child) && node.child.children.length > 1 ? node.child : undefined;
}

interface ComparisonWithRow extends ComparisonNode {
  readonly left: FunctionNode;
  readonly right: SubqueryNode;
}

/** Whether the node is `(a, b) = (SELECT x, y …)`, with any operator. */
const isComparedWithRow = (node: Expression): node is ComparisonWithRow =>
  node.class === 'COMPARISON' &&
  isRow(node.left) &&
  node.left.children.length > 1 &&
  node.right.class === 'SUBQUERY' &&
  node.right.subquery_type === 'SCALAR';

/** The comparison is NULL if the subquery returns no row, and fails if it returns several. */
function comparedWithRow(node: ComparisonWithRow, locate: Locate): Expression {
  const { left, right, type, alias, query_location } = node;
  const fields = fieldsFor(left);
  const compared = pairOfRows(type, left, call('row', ...fields));
  // A single column may hold structs, which are compared as values.
  if (compared === undefined || widthOf(right.subquery.node) === 1) return node;
  checkWidth(right, fields.length, locate);
  return { ...right, alias, query_location, subquery: selectFrom(right, fields, compared) };
}

/** The fields of the rows of a subquery that are compared with those of the row. */
const fieldsFor = (row: FunctionNode): readonly Expression[] =>
  row.children.map((_, i) => column(ROWS, `tsr_${i + 1}`));

/** The comparison as a value, and whether it is true as a condition. */
function comparedRows(node: SubqueryNode, row: FunctionNode): { match: Expression; value: Expression } {
  const fields = fieldsFor(row);
  const compared = pairOfRows(node.comparison_type, row, call('row', ...fields))!;
  const match = exists(node, fields, compared);
  const value = caseOf(
    [
      [match, constant(true)],
      [unknown(node, row.children, fields, compared), constant(null)],
    ],
    constant(false),
  );
  return { match, value };
}

/**
 * Whether the comparison with some row is NULL. For equality, one EXISTS reads only the subquery's rows with a NULL, and
 * another is only for rows on the left with a NULL, because both sides cannot be hashed: there are few such rows.
 */
function unknown(
  node: SubqueryNode,
  values: readonly Expression[],
  fields: readonly Expression[],
  compared: Expression,
): Expression {
  if (node.comparison_type !== 'COMPARE_EQUAL')
    return exists(node, fields, operator('OPERATOR_IS_NULL', compared));
  const isNull = (field: Expression) => operator('OPERATOR_IS_NULL', field);
  const perhaps = fields.map((field, i) => {
    return or(comparison('COMPARE_EQUAL', values[i]!, field), isNull(values[i]!), isNull(field));
  });
  return or(
    exists(node, fields, and(...perhaps, or(...fields.map(isNull)))),
    exists(node, fields, and(...perhaps, or(...values.map(isNull)))),
  );
}

/** `EXISTS (SELECT 1 FROM (query) AS tsr_rows(tsr_1, …) WHERE condition)`. */
const exists = (node: SubqueryNode, fields: readonly Expression[], condition: Expression): SubqueryNode => ({
  ...node,
  alias: '',
  subquery_type: 'EXISTS',
  child: null,
  comparison_type: 'INVALID',
  subquery: selectFrom(node, fields, constant(1), condition),
});

/** `SELECT item FROM (query) AS tsr_rows(tsr_1, …) WHERE condition`. */
function selectFrom(
  { subquery }: SubqueryNode,
  fields: readonly Expression[],
  item: Expression,
  condition: Expression | null = null,
): Statement {
  const from = selectAll({
    type: 'SUBQUERY',
    alias: ROWS,
    sample: null,
    query_location: NO_LOCATION,
    subquery,
    column_name_alias: fields.map((_, i) => `tsr_${i + 1}`),
  });
  return { node: { ...from, select_list: [item], where_clause: condition }, named_param_map: [] };
}

/** @throws TesseraError SYNTAX_ERROR if the subquery certainly has another number of columns than the row */
function checkWidth(node: SubqueryNode, width: number, locate: Locate): void {
  const columns = widthOf(node.subquery.node);
  if (columns === undefined || columns === width) return;
  const message = `The subquery returns ${columns} column${columns === 1 ? '' : 's'}, and the row that it is compared with has ${width} fields`;
  fail('SYNTAX_ERROR', { message }, { location: locate(node.query_location) });
}

function widthOf(query: QueryNode): number | undefined {
  if (query.type === 'SET_OPERATION_NODE') return widthOf(query.left ?? query.children![0]!);
  if (query.type !== 'SELECT_NODE') return undefined;
  const isOpen = query.select_list.some(
    (item) => item.class === 'STAR' || (item.class === 'FUNCTION' && item.function_name === 'unnest'),
  );
  return isOpen ? undefined : query.select_list.length;
}
