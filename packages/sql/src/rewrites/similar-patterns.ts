import { fail } from '@tessera/common';
import { internalCall } from '../functions/expressions.ts';
import { regularExpression } from '../functions/similar-part.ts';
import { isSimilarEscape } from '../text/postgres-clauses.ts';
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
  const replaced = withRegularExpression(match, sourceAt);
  return isNegated ? { ...node, children: [replaced] } : replaced;
}

function withRegularExpression(match: FunctionNode, sourceAt: (node: Expression) => string): FunctionNode {
  const [value, given] = match.children;
  const isEscaped =
    given?.class === 'FUNCTION' && given.function_name === '||' && isSimilarEscape(sourceAt(given));
  const pattern = isEscaped ? withBackslashes(given) : given;
  const literal = stringLiteral(pattern!);
  const regex =
    literal === undefined
      ? internalCall('similar_pattern', pattern)
      : constant(`(?s)${regularExpression(literal)}`);
  return { ...match, children: [value!, regex] };
}

/** The pattern before an ESCAPE with backslashes instead of its character. */
function withBackslashes({ children: [pattern, escaping] }: FunctionNode): Expression {
  const [text, character] = [stringLiteral(pattern!), stringLiteral(escaping!)];
  if (text === undefined || character === undefined) return internalCall('similar_escape', pattern, escaping);
  if ([...character].length > 1)
    return fail('INVALID_ESCAPE', { message: 'The text after ESCAPE must be empty or one character' });
  if (character === '\\') return pattern!;
  const escaped = character === '' ? '' : `${character.replace(/\W/, '\\$&')}([^]?)|`;
  const part = new RegExp(`${escaped}\\\\`, 'g');
  return constant(text.replace(part, (found, next: unknown) => `\\${found === '\\' ? found : next}`));
}
