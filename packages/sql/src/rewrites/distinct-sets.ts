import type { ParsedQuery } from '../parse/parse.ts';
import { DISTINCT_SETS } from '../text/postgres-clauses.ts';
import { type Expression, type QueryNode, type Statement, transformTree } from '../tree.ts';

/**
 * `GROUP BY DISTINCT ROLLUP (a), ROLLUP (a)` computes each of its grouping sets once. The parser has read DISTINCT as a call, which
 * is the first expression of each set:
 *     sets (call, a, a), (call, a), (call, a), (call)   →   sets (a), ()
 */
export function distinctSets({ statement, sourceAt }: ParsedQuery): Statement {
  if (!sourceAt(0).includes(DISTINCT_SETS)) return statement;
  return transformTree(statement, { queryNode: withDistinctSets });
}

function withDistinctSets(node: QueryNode): QueryNode {
  if (node.type !== 'SELECT_NODE' || !node.group_expressions.some(isMark)) return node;
  const mark = node.group_expressions.findIndex(isMark);
  const group_expressions = node.group_expressions.filter((_, i) => i !== mark);
  const sets = node.group_sets.map((set) =>
    [...new Set(set)].filter((i) => i !== mark).map((i) => (i > mark ? i - 1 : i)),
  );
  const group_sets = [...new Map(sets.map((set) => [[...set].sort().join(), set])).values()];
  return { ...node, group_expressions, group_sets };
}

const isMark = (node: Expression): boolean =>
  node.class === 'FUNCTION' && node.function_name === DISTINCT_SETS;
