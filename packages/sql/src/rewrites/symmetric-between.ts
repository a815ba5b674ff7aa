import { isSymmetricBetween } from '../text/source.ts';
import { type BetweenNode, type Expression, NO_LOCATION, or } from '../tree.ts';

/**
 * `x BETWEEN SYMMETRIC a AND b` → `x BETWEEN a AND b OR x BETWEEN b AND a`. With `least` and `greatest`, which ignore NULL,
 * `1 BETWEEN SYMMETRIC 3 AND NULL` would be false instead of NULL. In `NOT BETWEEN`, only the NOT has a location.
 * @param sourceAt returns the text that the parser saw, from the location of a node
 */
export function symmetricBetween(node: Expression, sourceAt: (node: Expression) => string): Expression {
  if (node.class === 'BETWEEN') return isSymmetricBetween(sourceAt(node)) ? eitherOrder(node) : node;
  if (node.class !== 'OPERATOR' || node.type !== 'OPERATOR_NOT') return node;
  const [child] = node.children;
  if (child?.class !== 'BETWEEN' || !isSymmetricBetween(sourceAt(node))) return node;
  return { ...node, children: [eitherOrder(child)] };
}

function eitherOrder(node: BetweenNode): Expression {
  const { alias, query_location, lower, upper } = node;
  const either = { ...node, alias: '', query_location: NO_LOCATION };
  return { ...or(either, { ...either, lower: upper, upper: lower }), alias, query_location };
}
