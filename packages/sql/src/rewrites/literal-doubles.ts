import type { Expression, QueryNode } from '../tree.ts';
import { cast, isExpression, transformTree, walkTree } from '../tree.ts';
import { spelling } from './spelling.ts';

/**
 * `SELECT 123.4` → `SELECT CAST(123.4 AS DOUBLE)`: a select item made of literals alone is DOUBLE where the kernel makes
 * a DECIMAL. A literal under a cast keeps its digits, and so does one that meets a column. What the query groups by stays as it
 * is: `SELECT -1.25::DOUBLE … GROUP BY ROLLUP (-1.25::DOUBLE)` would show a constant in place of the key, which may be NULL.
 */
export function literalDoubles(node: QueryNode): QueryNode {
  if (node.type === 'SET_OPERATION_NODE') {
    if (node.children !== undefined) return { ...node, children: node.children.map(literalDoubles) };
    return { ...node, left: literalDoubles(node.left), right: literalDoubles(node.right) };
  }
  if (node.type !== 'SELECT_NODE') return node;
  const keys = new Set(node.group_expressions.filter(isLiteralsOnly).map(spelling));
  const select_list = node.select_list.map((item) =>
    isLiteralsOnly(item) && !holdsOne(item, keys) ? withDoubles(item) : item,
  );
  return { ...node, select_list };
}

function holdsOne(item: Expression, keys: ReadonlySet<string>): boolean {
  let holds = false;
  if (keys.size > 0)
    walkTree(item, (node) => {
      holds ||= isExpression(node) && keys.has(spelling(node));
    });
  return holds;
}

function isLiteralsOnly(value: unknown): boolean {
  if (value === null || typeof value !== 'object') return true;
  const { class: kind, cte_map } = value as { class?: unknown; cte_map?: unknown };
  if (cte_map !== undefined || kind === 'COLUMN_REF' || kind === 'STAR' || kind === 'POSITIONAL_REFERENCE')
    return false;
  return Object.values(value).every(isLiteralsOnly);
}

function withDoubles(item: Expression): Expression {
  const exact = new Set<Expression>();
  return transformTree(item, {
    expression: (node) => {
      if (node.class === 'CAST') {
        const { child } = node;
        if (child.class === 'CAST' && exact.has(child) && node.cast_type.id !== 'DOUBLE') {
          return { ...node, child: child.child };
        }
        return node;
      }
      if (node.class !== 'CONSTANT' || node.value.type.id !== 'DECIMAL') return node;
      const double = { ...cast({ ...node, alias: '' }, 'DOUBLE'), alias: node.alias };
      exact.add(double);
      return double;
    },
  });
}
