import type { ExpressionListRef, TableRef } from '../tree-nodes.ts';

/** Functions in FROM whose rows are single values. */
const OF_VALUES = new Set(['generate_series', 'unnest']);

/**
 * As in PostgreSQL, the alias of a function that returns single values also names its column: `FROM unnest(a)
 * AS x` has the column x. The columns of VALUES that have no names are `column1`, `column2`, …
 */
export function functionColumn(node: TableRef): TableRef {
  if (node.type === 'EXPRESSION_LIST') return { ...node, expected_names: valuesNames(node) };
  if (node.type !== 'TABLE_FUNCTION' || node.alias === '' || node.column_name_alias.length > 0) return node;
  return OF_VALUES.has(node.function.function_name) ? { ...node, column_name_alias: [node.alias] } : node;
}

const valuesNames = ({ values, expected_names }: ExpressionListRef): readonly string[] =>
  (values[0] ?? []).map((_, i) => expected_names[i] ?? `column${i + 1}`);
