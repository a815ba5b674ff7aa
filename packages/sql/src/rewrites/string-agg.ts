import { internalCall, isNullLiteral } from '../functions/expressions.ts';
import {
  call,
  constant,
  type Expression,
  type FunctionNode,
  someExpression,
  type WindowNode,
} from '../tree.ts';

const NAMES: ReadonlySet<string> = new Set(['string_agg', 'listagg', 'group_concat']);

/**
 * `string_agg(x, NULL)` joins without a separator, as in PostgreSQL; in the kernel the whole result would be NULL. A separator that
 * varies stands before its own text, except the first; the kernel requires a constant:
 *     string_agg(x, s ORDER BY o)   →   tsr_joined_pairs(list(row(x, s) ORDER BY o))
 */
export function joinedBySeparator(node: FunctionNode | WindowNode): Expression {
  const [value, separator, ...more] = node.children;
  if (value === undefined || separator === undefined || !NAMES.has(node.function_name)) return node;
  if (isNullLiteral(separator)) return { ...node, children: [value, constant(''), ...more] };
  if (!someExpression(separator, ({ class: kind }) => kind === 'COLUMN_REF')) return node;
  const pairs = { ...node, alias: '', function_name: 'list', children: [call('row', value, separator)] };
  const { alias, query_location } = node;
  return { ...internalCall('joined_pairs', pairs), alias, query_location };
}
