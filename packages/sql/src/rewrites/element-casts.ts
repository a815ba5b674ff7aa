import { type CastNode, cast, type Expression, stringLiteral, type TypeNode } from '../tree.ts';

/**
 * A cast of an array casts its literals, as in PostgreSQL, so that each is read and checked as the element that it becomes:
 *     CAST(ARRAY['2024-01-01 x'] AS DATE[])   →   CAST(ARRAY[CAST('2024-01-01 x' AS DATE)] AS DATE[])
 */
export function elementCasts(node: CastNode, rewrite: (element: CastNode) => Expression): CastNode {
  const child = withElements(node.child, node.cast_type, node.try_cast, rewrite);
  return child === node.child ? node : { ...node, child };
}

function withElements(
  node: Expression,
  { type_info }: TypeNode,
  isTry: boolean,
  rewrite: (element: CastNode) => Expression,
): Expression {
  if (type_info?.type !== 'LIST_TYPE_INFO') return node;
  const isArray =
    (node.class === 'OPERATOR' && node.type === 'ARRAY_CONSTRUCTOR') ||
    (node.class === 'FUNCTION' && node.function_name === 'list_value');
  if (!isArray) return node;
  const element = type_info.child_type;
  const children = node.children.map((child) =>
    stringLiteral(child) === undefined || element.id === 'VARCHAR'
      ? withElements(child, element, isTry, rewrite)
      : rewrite(cast(child, element, isTry)),
  );
  return children.every((child, i) => child === node.children[i]) ? node : { ...node, children };
}
