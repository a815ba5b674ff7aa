import { type Statement, walkTree } from '../tree.ts';

/**
 * Whether a query reads nothing, as `SELECT 42`: its single row consists of constants and function results. A
 * kernel that keeps such a query prepared keeps neither rows nor conclusions from them.
 */
export function readsNothing({ node }: Statement): boolean {
  if (node.type !== 'SELECT_NODE' || node.from_table.type !== 'EMPTY') return false;
  if (node.modifiers.length > 0 || node.cte_map.map.length > 0 || node.group_expressions.length > 0)
    return false;
  let isAlone = true;
  for (const expression of [node.where_clause, node.having, node.qualify, ...node.select_list]) {
    if (expression === null) continue;
    walkTree(expression, (inner) => {
      if (!('class' in inner) || inner.class === 'SUBQUERY') isAlone = false;
    });
  }
  return isAlone;
}
