import { internalCall } from '../functions/expressions.ts';
import { constant, type Expression, type FunctionNode, stringLiteral } from '../tree.ts';

/**
 * `a SIMILAR TO 'x_%'` → `regexp_full_match(a, '(?s)x..*')`: the kernel takes the pattern for a regular expression, in which `_` and `%`
 * stand for themselves.
 * @param sourceAt the statement's text at a node, which is the operator for SIMILAR TO and a name for a call of the function
 */
export function similarTo(node: Expression, sourceAt: (node: Expression) => string): Expression {
  const isNegated = node.class === 'OPERATOR' && node.type === 'OPERATOR_NOT';
  const match = isNegated ? node.children[0] : node;
  if (match?.class !== 'FUNCTION' || match.function_name !== 'regexp_full_match') return node;
  if (!/^(?:not\s+)?similar\b/i.test(sourceAt(node))) return node;
  const replaced = withRegularExpression(match);
  return isNegated ? { ...node, children: [replaced] } : replaced;
}

function withRegularExpression(match: FunctionNode): FunctionNode {
  const [value, pattern] = match.children;
  const literal = stringLiteral(pattern!);
  const regex =
    literal === undefined
      ? internalCall('similar_pattern', pattern)
      : constant(`(?s)${regularExpression(literal)}`);
  return { ...match, children: [value!, regex] };
}

/** An escaped character, the characters in brackets, and the characters that mean something else in a regular expression. */
const PART = /\\(.)|\[\^?\]?[^\]]*\]|[%_.^$]/gs;

const regularExpression = (pattern: string): string =>
  pattern.replace(PART, (part, escaped: string | undefined) => {
    if (escaped !== undefined) return part;
    if (part === '%') return '.*';
    if (part === '_') return '.';
    return part.length === 1 ? `\\${part}` : part;
  });
