import { call, constant, type Expression, type FunctionNode, operator } from '../tree.ts';

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

const matches = (node: FunctionNode, ...flags: readonly Expression[]): FunctionNode =>
  call('regexp_matches', ...node.children, ...flags);

const placeOf = ({ alias, query_location }: Expression) => ({ alias, query_location });
