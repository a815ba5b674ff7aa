import { isNullLiteral } from '../functions/expressions.ts';
import { constant, type FunctionNode, type WindowNode } from '../tree.ts';

const NAMES: ReadonlySet<string> = new Set(['string_agg', 'listagg', 'group_concat']);

/**
 * `string_agg(x, NULL)` joins without a separator, as in PostgreSQL; in the kernel the whole result would be
 * NULL.
 */
export function joinedWithoutSeparator<T extends FunctionNode | WindowNode>(node: T): T {
  const [value, separator, ...more] = node.children;
  if (value === undefined || !NAMES.has(node.function_name) || !isNullLiteral(separator)) return node;
  return { ...node, children: [value, constant(''), ...more] };
}
