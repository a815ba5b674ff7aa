import type { TableRef } from '../tree-nodes.ts';

/** Functions in FROM whose rows are single values. */
const OF_VALUES = new Set(['generate_series', 'unnest']);

/**
 * As in PostgreSQL, the alias of a function that returns single values also names its column: `FROM unnest(a)
 * AS x` has the column x.
 */
export function functionColumn(node: TableRef): TableRef {
  if (node.type !== 'TABLE_FUNCTION' || node.alias === '' || node.column_name_alias.length > 0) return node;
  return OF_VALUES.has(node.function.function_name) ? { ...node, column_name_alias: [node.alias] } : node;
}
