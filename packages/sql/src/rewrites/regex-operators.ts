import { call, constant, type Expression, type FunctionNode } from '../tree.ts';

/**
 * `a ~ p` → `regexp_matches(a, p)`, with `~*` and the negations: the kernel takes `~` as a match of the whole text
 * and does not know the others. `sourceAt` is the statement's text at a node: `regexp_full_match(…)` and
 * `SIMILAR TO` parse to the same function as `~`.
 */
export function partialRegexMatch(node: FunctionNode, sourceAt: (node: FunctionNode) => string): Expression {
  const [text, pattern] = node.children;
  if (text === undefined || pattern === undefined) return node;
  const match = (...flags: readonly Expression[]) => ({
    ...call('regexp_matches', text, pattern, ...flags),
    alias: node.alias,
    query_location: node.query_location,
  });
  switch (node.function_name) {
    case 'regexp_full_match':
      return /^!?~/.test(sourceAt(node)) ? match() : node;
    case '~*':
      return match(constant('i'));
    case '!~*':
      return {
        class: 'OPERATOR',
        type: 'OPERATOR_NOT',
        alias: node.alias,
        query_location: node.query_location,
        children: [{ ...match(constant('i')), alias: '' }],
      };
    default:
      return node;
  }
}
