import { call, constant, type Expression, operator } from '../tree.ts';

/**
 * `x = ANY(list)`, which the parser writes as `x = ANY (SELECT unnest(list))` → `… unnest(coalesce(list,
 * [NULL]))`: the comparison with a NULL list is NULL, as in PostgreSQL. Without this rule the kernel would
 * unnest a NULL list to no rows, so ANY would be false and ALL true.
 */
export function quantifiedArray(node: Expression): Expression {
  if (node.class !== 'SUBQUERY' || node.subquery_type !== 'ANY') return node;
  const query = node.subquery.node;
  if (query.type !== 'SELECT_NODE' || query.from_table.type !== 'EMPTY') return node;
  const [item, ...more] = query.select_list;
  if (more.length > 0 || item?.class !== 'FUNCTION' || item.function_name !== 'unnest') return node;
  const [list, ...options] = item.children;
  if (list === undefined || isConstructor(list)) return node;
  // The type of a parameter without a value is inferred, and the list of NULL would decide it.
  if (list.class === 'PARAMETER') return node;
  const known = operator('OPERATOR_COALESCE', list, call('list_value', constant(null)));
  const select_list = [{ ...item, children: [known, ...options] }];
  return { ...node, subquery: { ...node.subquery, node: { ...query, select_list } } };
}

const isConstructor = (node: Expression): boolean =>
  (node.class === 'OPERATOR' && node.type === 'ARRAY_CONSTRUCTOR') ||
  (node.class === 'FUNCTION' && node.function_name === 'list_value') ||
  (node.class === 'CAST' && isConstructor(node.child));
