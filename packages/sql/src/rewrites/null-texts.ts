import { isNullLiteral } from '../functions/expressions.ts';
import { cast, type Expression, type FunctionNode, stringLiteral } from '../tree.ts';

/**
 * `x || NULL::text` → `CAST(x || NULL::text AS VARCHAR)`: the kernel gives no type to a concatenation with
 * NULL.
 */
export function textWithNull(node: FunctionNode): Expression {
  if (!node.is_operator || node.function_name !== '||' || !node.children.some(isNullLiteral)) return node;
  const isText = node.children.some(
    (child) =>
      stringLiteral(child) !== undefined || (child.class === 'CAST' && child.cast_type.id === 'VARCHAR'),
  );
  const { alias, query_location } = node;
  return isText ? { ...cast({ ...node, alias: '' }, 'VARCHAR'), alias, query_location } : node;
}
