import { fail, isSameName, type SqlLocation } from '@tessera/common';
import { operatorCall } from '../functions/expressions.ts';
import { isLimitWithTies } from '../text/postgres-clauses.ts';
import {
  and,
  comparison,
  constant,
  type Expression,
  NO_LOCATION,
  type QueryNode,
  type WindowNode,
} from '../tree.ts';

type At = (node: Expression) => SqlLocation | undefined;

/**
 * `SELECT … ORDER BY a OFFSET m FETCH FIRST n ROWS WITH TIES`, in which the rows that are equal to the last one follow
 *   →   `SELECT … QUALIFY rank() OVER (ORDER BY a) <= n + m ORDER BY a OFFSET m`
 * @throws TesseraError SYNTAX_ERROR without ORDER BY, NOT_SUPPORTED for DISTINCT and set operations
 */
export function limitWithTies(node: QueryNode, sourceAt: (at: Expression) => string, locate: At): QueryNode {
  const [limited] = node.modifiers.flatMap((one) => (one.type === 'LIMIT_MODIFIER' ? [one] : []));
  const limit = limited?.limit;
  if (limited === undefined || !limit || !isLimitWithTies(sourceAt(limit))) return node;
  const orders = node.modifiers.flatMap((one) => (one.type === 'ORDER_MODIFIER' ? one.orders : []));
  const location = locate(limit);
  if (orders.length === 0)
    fail('SYNTAX_ERROR', { message: 'WITH TIES cannot be specified without ORDER BY clause' }, { location });
  const isPlain = !node.modifiers.some(({ type }) => type === 'DISTINCT_MODIFIER');
  if (node.type !== 'SELECT_NODE' || !isPlain)
    return refuse('DISTINCT, UNION, INTERSECT and EXCEPT', location);
  const keys = orders.map((order) => {
    const key = keyOf(order.expression, node.select_list);
    return { ...order, expression: key ?? refuse('a position after *', location) };
  });
  const { offset } = limited;
  const last = offset === null ? limit : operatorCall('+', limit, offset);
  const isFirst = comparison('COMPARE_LESSTHANOREQUALTO', rankOver(keys), last);
  const conditions = [isFirst, comparison('COMPARE_GREATERTHAN', limit, constant(0))];
  const qualify = and(...(node.qualify === null ? [] : [node.qualify]), ...conditions);
  const modifiers = node.modifiers.flatMap((one) => {
    if (one !== limited) return [one];
    return offset === null ? [] : [{ ...limited, limit: null }];
  });
  return { ...node, qualify, modifiers };
}

function refuse(what: string, location: SqlLocation | undefined): never {
  const hint = 'put the query into a subquery of FROM';
  return fail('NOT_SUPPORTED', { what: `WITH TIES with ${what}`, hint }, { location });
}

/** The expression of a sort key, which may be the position or the name of an item; undefined if a star hides the position. */
function keyOf(key: Expression, items: readonly Expression[]): Expression | undefined {
  if (key.class === 'CONSTANT' && !key.value.is_null) {
    const position = Number(key.value.value);
    const item = items.slice(0, position).some(({ class: of }) => of === 'STAR')
      ? undefined
      : items[position - 1];
    return item && { ...item, alias: '' };
  }
  const name = key.class === 'COLUMN_REF' && key.column_names.length === 1 ? key.column_names[0]! : undefined;
  const named = name === undefined ? undefined : items.find(({ alias }) => isSameName(alias, name));
  return { ...(named ?? key), alias: '' };
}

const rankOver = (orders: WindowNode['orders']): WindowNode => ({
  class: 'WINDOW',
  type: 'WINDOW_RANK',
  alias: '',
  query_location: NO_LOCATION,
  function_name: 'rank',
  schema: '',
  catalog: '',
  children: [],
  partitions: [],
  orders,
  start: 'UNBOUNDED_PRECEDING',
  end: 'CURRENT_ROW_RANGE',
  start_expr: null,
  end_expr: null,
  offset_expr: null,
  default_expr: null,
  ignore_nulls: false,
  filter_expr: null,
  exclude_clause: 'NO_OTHER',
  distinct: false,
  arg_orders: [],
});
