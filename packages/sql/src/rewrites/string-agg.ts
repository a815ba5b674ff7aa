import { isNullLiteral } from '../functions/expressions.ts';
import { constant, type FunctionNode, type WindowNode } from '../tree.ts';

const NAMES: ReadonlySet<string> = new Set(['string_agg', 'listagg', 'group_concat']);

/** `string_agg(x, NULL)` joins with nothing between, as in PostgreSQL; the kernel makes the whole text NULL. */
export function joinedWithoutSeparator<T extends FunctionNode | WindowNode>(node: T): T {
  const [value, separator, ...more] = node.children;
  if (value === undefined || !NAMES.has(node.function_name) || !isNullLiteral(separator)) return node;
  return { ...node, children: [value, constant(''), ...more] };
}
