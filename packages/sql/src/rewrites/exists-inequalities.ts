import {
  type ComparisonNode,
  type Expression,
  operator,
  type Statement,
  type SubqueryNode,
  transformTree,
  walkTree,
} from '../tree.ts';

/**
 * `EXISTS (SELECT 1 FROM b WHERE b.k = a.k AND b.v <> a.v)` → the same with `coalesce(b.v, b.v) <> a.v`, which has the same
 * value. If both operands are plain columns, the kernel's optimizer joins the tables by
 *     b.k IS NOT DISTINCT FROM a.k AND b.v IS DISTINCT FROM a.v
 * and EXISTS is true for a NULL in `a.v`, although `<>` is never true for NULL. Scalar subqueries have the same form.
 *
 * Conditions of WHERE that are EXISTS or NOT EXISTS are joined correctly, by `<>`, unless the subquery also compares columns
 * by `<` or the like: then the optimizer gives up after it has replaced only some of the conditions.
 */
export function existsInequalities(statement: Statement): Statement {
  const inWhere = new Set<Expression>();
  const wrapped = new Set<Expression>();
  walkTree(statement, (node) => {
    if ('class' in node) {
      if (node.class !== 'SUBQUERY' || !isAffected(node)) return;
      const { inequalities, hasOrder } = comparisonsIn(node);
      if (!inWhere.has(node) || hasOrder) for (const found of inequalities) wrapped.add(found);
    } else if (node.type === 'SELECT_NODE' && node.where_clause !== null) {
      for (const condition of conditionsOf(node.where_clause)) inWhere.add(condition);
    }
  });
  if (wrapped.size === 0) return statement;
  return transformTree(statement, {
    expression: (node) => (wrapped.has(node) ? withoutPlainColumn(node as ComparisonNode) : node),
  });
}

const isAffected = ({ subquery_type }: SubqueryNode): boolean => /EXISTS|SCALAR/.test(subquery_type);

/** The conditions that AND connects, without NOT. */
function conditionsOf(where: Expression): readonly Expression[] {
  if (where.class === 'CONJUNCTION' && where.type === 'CONJUNCTION_AND')
    return where.children.flatMap(conditionsOf);
  if (where.class === 'OPERATOR' && where.type === 'OPERATOR_NOT') return where.children;
  return [where];
}

const ORDER: ReadonlySet<string> = new Set([
  'COMPARE_LESSTHAN',
  'COMPARE_GREATERTHAN',
  'COMPARE_LESSTHANOREQUALTO',
  'COMPARE_GREATERTHANOREQUALTO',
]);
const UNEQUAL: ReadonlySet<string> = new Set(['COMPARE_NOTEQUAL', 'COMPARE_DISTINCT_FROM']);
/** Comparisons that the kernel turns into those of `UNEQUAL` below NOT. */
const EQUAL: ReadonlySet<string> = new Set(['COMPARE_EQUAL', 'COMPARE_NOT_DISTINCT_FROM']);

function comparisonsIn({ subquery }: SubqueryNode): {
  readonly inequalities: readonly Expression[];
  readonly hasOrder: boolean;
} {
  const inequalities: Expression[] = [];
  let hasOrder = false;
  walkTree(subquery, (node) => {
    if (!('class' in node)) return;
    const negated = node.class === 'OPERATOR' && node.type === 'OPERATOR_NOT' ? node.children[0] : undefined;
    const types = negated === undefined ? UNEQUAL : EQUAL;
    const compared = negated ?? node;
    if (compared.class !== 'COMPARISON' || !comparesColumns(compared)) return;
    if (types.has(compared.type)) inequalities.push(compared);
    hasOrder ||= ORDER.has(compared.type);
  });
  return { inequalities, hasOrder };
}

const comparesColumns = ({ left, right }: ComparisonNode): boolean =>
  left.class !== 'CONSTANT' && right.class !== 'CONSTANT' && !isRow(left);

/** Rows are compared field by field, by another rule. */
const isRow = (node: Expression): boolean => node.class === 'FUNCTION' && node.function_name === 'row';

const withoutPlainColumn = (node: ComparisonNode): ComparisonNode => ({
  ...node,
  left: operator('OPERATOR_COALESCE', node.left, node.left),
});
