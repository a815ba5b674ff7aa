import { internalCall, kernelCall, literalText, operatorCall } from '../functions/expressions.ts';
import { kernelPattern } from '../functions/regex.ts';
import {
  call,
  caseOf,
  constant,
  type Expression,
  type FunctionNode,
  operator,
  someExpression,
  walkTree,
} from '../tree.ts';

const ESCAPING: ReadonlyMap<string, string> = new Map([
  ['~~', 'like_escape'],
  ['!~~', 'not_like_escape'],
  ['~~*', 'ilike_escape'],
  ['!~~*', 'not_ilike_escape'],
]);

const IGNORES_CASE = /\*$/;
const IS_NEGATED = /^!/;

/**
 * `a LIKE p` → `like_escape(a, p, '\')`, and the same for ILIKE and their negations: without ESCAPE, the
 * kernel has no escape character. Patterns that certainly contain no backslash stay as they are, because the
 * kernel runs those faster.
 *
 * The kernel tries every place for each `%` before the last, in one call, which no interrupt ends: `'%a_%b_%c'` takes seconds for a text of
 * 1,000 characters. It runs only LIKE with a literal of `%` and plain characters in linear time. Regular expressions take
 * linear time, too:
 *     a LIKE '%x_%y'      →   regexp_full_match(a, tsr_like_regex('%x_%y'))
 *     a ILIKE '%x%y%'     →   lower(a) LIKE lower('%x%y%')
 *     a LIKE b            →   CASE WHEN tsr_is_slow_pattern(b) THEN regexp_full_match(a, tsr_like_regex(b)) ELSE like_escape(a, b, '\') END
 */
export function likePatterns(node: FunctionNode): Expression {
  const escaping = ESCAPING.get(node.function_name);
  const [value, pattern] = node.children;
  if (escaping === undefined || value === undefined || pattern === undefined) return node;
  const literal = plainText(pattern);
  const ignoresCase = IGNORES_CASE.test(node.function_name);
  const isNegated = IS_NEGATED.test(node.function_name);
  const { alias, query_location } = node;
  const named = (made: Expression): Expression => ({ ...made, alias, query_location });
  const matched = (): Expression => {
    const subject = ignoresCase ? kernelCall('lower', value) : value;
    const lowered = ignoresCase ? kernelCall('lower', pattern) : pattern;
    const match = kernelCall('regexp_full_match', subject, internalCall('like_regex', lowered));
    return isNegated ? operator('OPERATOR_NOT', match) : match;
  };
  if (literal === undefined) {
    const plain = kernelCall(escaping, value, pattern, constant('\\'));
    // A subquery would run several times.
    if (someExpression([value, pattern], ({ class: kind }) => kind === 'SUBQUERY')) return named(plain);
    if (hasOpenParameter([value, pattern])) return named(plain);
    return named(caseOf([[internalCall('is_slow_pattern', pattern), matched()]], plain));
  }
  if (isSlow(literal)) {
    if (/[\\_]/.test(literal)) return named(matched());
    if (!ignoresCase) return node;
    const lowered = node.children.map((child) => kernelCall('lower', child));
    return named(operatorCall(isNegated ? '!~~' : '~~', ...lowered));
  }
  return literal.includes('\\') ? named(kernelCall(escaping, value, pattern, constant('\\'))) : node;
}

/** Whether there is a parameter whose type follows from its place, which must then be its only one. */
function hasOpenParameter(expressions: readonly Expression[]): boolean {
  const parameters = new Set<Expression>();
  const typed = new Set<Expression>();
  walkTree(expressions, (node) => {
    if (!('class' in node)) return;
    if (node.class === 'PARAMETER') parameters.add(node);
    if (node.class === 'CAST') typed.add(node.child);
  });
  return !parameters.isSubsetOf(typed);
}

/** Whether a pattern has several `%` before its last character. */
const isSlow = (pattern: string): boolean => pattern.replace(/%+$/, '').split(/%+/).length > 2;

/** The text of a constant, possibly under casts; undefined for any other expression. */
function plainText(pattern: Expression): string | undefined {
  if (pattern.class === 'CAST') return plainText(pattern.child);
  return pattern.class === 'CONSTANT' ? String(pattern.value.value) : undefined;
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
    // `quantifiedPattern` writes this one.
    case '~':
      return { ...matches(node), ...placeOf(node) };
    case '~*':
      return { ...matches(node, 'i'), ...placeOf(node) };
    case '!~*':
      return { ...operator('OPERATOR_NOT', matches(node, 'i')), ...placeOf(node) };
    default:
      return node;
  }
}

/** With the flag `s`, a dot matches the end of a line too. */
function matches(node: FunctionNode, flags = ''): FunctionNode {
  const [subject, pattern] = node.children;
  const text = literalText(pattern);
  const written = text === undefined ? pattern! : constant(kernelPattern(text));
  const all = text === undefined || text.includes('.') ? `${flags}s` : flags;
  return call('regexp_matches', subject!, written, ...(all === '' ? [] : [constant(all)]));
}

const placeOf = ({ alias, query_location }: Expression) => ({ alias, query_location });
