import { kernelCall, literalText } from '../functions/expressions.ts';
import { withWordBounds } from '../functions/regex.ts';
import { call, constant, type Expression, type FunctionNode, operator } from '../tree.ts';

const ESCAPING: ReadonlyMap<string, string> = new Map([
  ['~~', 'like_escape'],
  ['!~~', 'not_like_escape'],
  ['~~*', 'ilike_escape'],
  ['!~~*', 'not_ilike_escape'],
]);

/**
 * `a LIKE p` → `like_escape(a, p, '\')`, and the same for ILIKE and their negations: without ESCAPE, the
 * kernel has no escape character. Patterns that certainly contain no backslash stay as they are, because the
 * kernel runs those faster.
 */
export function backslashEscapes(node: FunctionNode): FunctionNode {
  const escaping = ESCAPING.get(node.function_name);
  const [value, pattern] = node.children;
  if (escaping === undefined || value === undefined || pattern === undefined || isPlain(pattern)) return node;
  const { alias, query_location } = node;
  return { ...kernelCall(escaping, value, pattern, constant('\\')), alias, query_location };
}

function isPlain(pattern: Expression): boolean {
  if (pattern.class === 'CAST') return isPlain(pattern.child);
  return pattern.class === 'CONSTANT' && !String(pattern.value.value).includes('\\');
}

/**
 * `a ~ p` → `regexp_matches(a, p)`, and the same for `~*` and the negations: the kernel's `~` matches the
 * whole text, and the other operators do not exist there.
 * @param sourceAt the statement's text at a node, needed because `regexp_full_match(…)` and `SIMILAR TO` are
 * parsed to the same function as `~`, and `a !~ p` to a NOT around it where only the NOT has a place
 */
export function partialRegexMatch(node: Expression, sourceAt: (node: Expression) => string): Expression {
  if (node.class === 'OPERATOR' && node.type === 'OPERATOR_NOT') {
    const [child] = node.children;
    if (child?.class !== 'FUNCTION' || child.function_name !== 'regexp_full_match') return node;
    return sourceAt(node).startsWith('!~') ? { ...node, children: [matches(child)] } : node;
  }
  if (node.class !== 'FUNCTION' || node.children.length !== 2) return node;
  switch (node.function_name) {
    case 'regexp_full_match':
      return sourceAt(node).startsWith('~') ? { ...matches(node), ...placeOf(node) } : node;
    case '~*':
      return { ...matches(node, constant('i')), ...placeOf(node) };
    case '!~*':
      return { ...operator('OPERATOR_NOT', matches(node, constant('i'))), ...placeOf(node) };
    default:
      return node;
  }
}

function matches(node: FunctionNode, ...flags: readonly Expression[]): FunctionNode {
  const [subject, pattern] = node.children;
  const text = literalText(pattern) ?? '';
  const bounded = withWordBounds(text);
  return call('regexp_matches', subject!, bounded === text ? pattern! : constant(bounded), ...flags);
}

const placeOf = ({ alias, query_location }: Expression) => ({ alias, query_location });
