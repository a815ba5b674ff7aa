import { unnestedArray } from '../postgres/array-literals.ts';
import {
  call,
  comparison,
  constant,
  type Expression,
  operator,
  or,
  type SelectNode,
  type SubqueryNode,
} from '../tree.ts';

/**
 * `x = ANY(list)`, which the parser writes as `x = ANY (SELECT unnest(list))` → `… unnest(coalesce(list,
 * [NULL]))`: the comparison with a NULL list is NULL, as in PostgreSQL. Without this rule the kernel would
 * unnest a NULL list to no rows, so ANY would be false and ALL true, as they are for `x IN (SELECT unnest(list))`.
 */
export function quantifiedArray(node: Expression): Expression {
  if (node.class !== 'SUBQUERY') return node;
  const item = unnestedArray(node);
  if (item === undefined) return node;
  const [list, ...options] = item.children;
  const texts = list && untypedElements(list);
  if (texts !== undefined && node.child !== null) return comparedTexts(node, node.child, texts);
  if (list === undefined || isConstructor(list)) return node;
  // The type of a parameter without a value is inferred, and the list of NULL would decide it.
  if (list.class === 'PARAMETER') return node;
  const known = operator('OPERATOR_COALESCE', list, call('list_value', constant(null)));
  const select_list = [{ ...item, children: [known, ...options] }];
  return withQuery(node, { select_list });
}

const withQuery = (node: SubqueryNode, changed: Partial<SelectNode>): SubqueryNode => ({
  ...node,
  subquery: { ...node.subquery, node: { ...(node.subquery.node as SelectNode), ...changed } },
});

/** `IN (SELECT …)`, `= ANY (SELECT …)` and `<> ALL (SELECT …)`. */
const WRITTEN_QUERY = /^(?:not\s+)?in\b|^[^\w(]+(?:any|some|all)[\s(]+(?:select|with)\b/i;

/** `x IN (SELECT unnest(list))` → `x IN (SELECT unnest(list) WHERE true)`, which no rule takes for `x = ANY(list)`. */
export const writtenQuery = (node: SubqueryNode, source: string): SubqueryNode =>
  unnestedArray(node) !== undefined && WRITTEN_QUERY.test(source)
    ? withQuery(node, { where_clause: constant(true) })
    : node;

/** The elements of `ANY('{a,NULL}')`, which another rule has made an array of texts. */
function untypedElements(list: Expression): readonly Expression[] | undefined {
  if (list.class !== 'FUNCTION' || list.function_name !== 'list_value') return undefined;
  const elements = list.children.flatMap((element) =>
    element.class === 'CAST' && element.cast_type.id === 'VARCHAR' && element.child.class === 'CONSTANT'
      ? [element.child]
      : [],
  );
  return elements.length === list.children.length && elements.length <= MAX_ELEMENTS ? elements : undefined;
}

const MAX_ELEMENTS = 1_000;

/** `a = ANY('{1,2}')` → `a IN ('1', '2')`, so that the elements take the type of `a`. */
function comparedTexts(node: SubqueryNode, child: Expression, elements: readonly Expression[]): Expression {
  const { alias, query_location, comparison_type } = node;
  if (elements.length === 0) return { ...constant(false), alias, query_location };
  const compared =
    comparison_type === 'COMPARE_EQUAL'
      ? operator('COMPARE_IN', child, ...elements)
      : or(...elements.map((element) => comparison(comparison_type, child, element)));
  return { ...compared, alias, query_location };
}

const isConstructor = (node: Expression): boolean =>
  (node.class === 'OPERATOR' && node.type === 'ARRAY_CONSTRUCTOR') ||
  (node.class === 'FUNCTION' && node.function_name === 'list_value') ||
  (node.class === 'CAST' && isConstructor(node.child));
