import { and, cast, comparison, constant, operator, type QueryNode } from '../tree.ts';

/** A key that is no literal, because a literal in GROUP BY is the position of a column. */
const NO_KEY = cast(constant(null), 'INTEGER');

/**
 * The kernel takes several grouping sets without keys for one:
 *     SELECT count(*) FROM t GROUP BY GROUPING SETS ((), ())
 *       →   SELECT count(*) FROM t GROUP BY GROUPING SETS ((), (), (NULL::integer)) HAVING grouping(NULL::integer) = 1
 * Without this rule, the query would return one row instead of two.
 */
export function grandTotals(node: QueryNode): QueryNode {
  if (node.type !== 'SELECT_NODE') return node;
  const { group_sets, group_expressions, having } = node;
  if (group_sets.length < 2 || group_expressions.length > 0) return node;
  const isTotal = comparison('COMPARE_EQUAL', operator('GROUPING_FUNCTION', NO_KEY), constant(1));
  return {
    ...node,
    group_expressions: [NO_KEY],
    group_sets: [...group_sets, [0]],
    having: having === null ? isTotal : and(having, isTotal),
  };
}
