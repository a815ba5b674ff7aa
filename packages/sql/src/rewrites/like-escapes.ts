import { kernelCall } from '../functions/expressions.ts';
import { constant, type Expression, type FunctionNode } from '../tree.ts';

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
