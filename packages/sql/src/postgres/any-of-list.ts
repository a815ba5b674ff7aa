import { call, type Expression } from '../tree.ts';

/**
 * `x = ANY(list)`, which the parser writes as `x = ANY (SELECT unnest(list))` → `tsr_pg_any_equal(list, x)`.
 * The kernel does not support a subquery over columns of both sides in the condition of an outer join, as in
 *     t LEFT JOIN a ON t.oid = a.attrelid AND a.attnum = ANY(t.indkey)
 */
export function anyOfList(node: Expression): Expression {
  if (node.class !== 'SUBQUERY' || node.subquery_type !== 'ANY' || node.comparison_type !== 'COMPARE_EQUAL') {
    return node;
  }
  const query = node.subquery.node;
  if (query.type !== 'SELECT_NODE' || query.from_table.type !== 'EMPTY' || node.child === null) return node;
  const [item, ...more] = query.select_list;
  if (more.length > 0 || item?.class !== 'FUNCTION' || item.function_name !== 'unnest') return node;
  const [list] = item.children;
  return list?.class === 'COLUMN_REF' ? call('tsr_pg_any_equal', list, node.child) : node;
}
