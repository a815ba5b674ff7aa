import { type ColumnRefNode, constant, type Expression } from '../tree.ts';
import type { FunctionContext } from './types.ts';

/**
 * `session_user` and `current_user` without parentheses, which the parser takes for columns; undefined for any other
 * reference. Both words are reserved in PostgreSQL, so that no column has such a name unless quoted.
 */
export function rewriteBareName(node: ColumnRefNode, context: FunctionContext): Expression | undefined {
  const [name, ...rest] = node.column_names;
  if (rest.length > 0 || !/^(session|current)_user$/i.test(name ?? '')) return undefined;
  return { ...constant(context.sessionValues.user), alias: node.alias, query_location: node.query_location };
}
