import { fail, type SqlLocation } from '@tessera/common';
import { DIALECT_FUNCTIONS } from '../functions/registry.ts';
import { type Expression, isQueryNode, type QueryNode } from '../tree.ts';
import { walkTree } from '../tree-transform.ts';

const AGGREGATES: ReadonlySet<string> = new Set([
  'count_star',
  ...DIALECT_FUNCTIONS.filter(({ category }) => category === 'aggregate').flatMap(({ name, aliases }) => [
    name,
    ...(aliases ?? []),
  ]),
]);

/**
 * Refuses an aggregate without groups in the recursive query of WITH RECURSIVE. It returns a row even if the last round
 * returned none, so the recursion would never end:
 *     WITH RECURSIVE r(a) AS (SELECT 1 UNION ALL SELECT sum(a) FROM r) SELECT * FROM r
 * @throws TesseraError INVALID_RECURSION
 */
export function refuseEndlessRecursion(
  node: QueryNode,
  placeOf: (expression: Expression) => SqlLocation | undefined,
): QueryNode {
  if (node.type !== 'RECURSIVE_CTE_NODE' || node.right.type !== 'SELECT_NODE') return node;
  const { group_sets, select_list, having, from_table } = node.right;
  if (group_sets.length > 0 || !reads(from_table, node.cte_name)) return node;
  const aggregate = [...select_list, having].map(firstAggregate).find((found) => found !== undefined);
  if (aggregate === undefined) return node;
  const message = `Aggregate functions without GROUP BY are not allowed in the recursive query of "${node.cte_name}", because it would never end`;
  return fail('INVALID_RECURSION', { message }, { location: placeOf(aggregate) });
}

/** Whether a common table expression occurs in FROM. A query after UNION in WITH RECURSIVE need not be recursive. */
function reads(from: unknown, name: string): boolean {
  let found = false;
  walkTree(from, (node) => {
    found ||=
      !('class' in node) &&
      node.type === 'BASE_TABLE' &&
      node.schema_name === '' &&
      node.table_name.toLowerCase() === name.toLowerCase();
  });
  return found;
}

/** An aggregate of the query itself, not of a subquery. */
function firstAggregate(expression: unknown): Expression | undefined {
  let found: Expression | undefined;
  const search = (value: unknown): void => {
    if (found !== undefined || value === null || typeof value !== 'object' || isQueryNode(value)) return;
    const node = value as Expression;
    if (node.class === 'FUNCTION' && AGGREGATES.has(node.function_name.toLowerCase())) found = node;
    else for (const child of Object.values(value)) search(child);
  };
  search(expression);
  return found;
}
