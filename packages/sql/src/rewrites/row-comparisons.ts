import { and, comparison, type Expression, type FunctionNode, operator, or } from '../tree.ts';

/** Longer lists stay a comparison of structs, in which NULLs are values. */
const MAX_ROWS = 1000;

/**
 * Compares row constructors as SQL defines it, field by field. The kernel compares structs, where NULL is a
 * value that equals NULL:
 *     (a, b) = (c, d)             →   a = c AND b = d
 *     (a, b) < (c, d)             →   a < c OR (a = c AND b < d)
 *     (a, b) IN ((1, 2), (3, 4))  →   (a = 1 AND b = 2) OR (a = 3 AND b = 4)
 *     (a, b) IS NULL              →   a IS NULL AND b IS NULL
 * Without this rule `(1, NULL) = (1, 2)` would be false instead of NULL, and `NOT IN` would return rows that
 * PostgreSQL filters out.
 */
export function rowComparison(node: Expression): Expression {
  const found = comparedFields(node);
  return found === undefined ? node : { ...found, alias: node.alias, query_location: node.query_location };
}

function comparedFields(node: Expression): Expression | undefined {
  if (node.class === 'COMPARISON') return pairOfRows(node.type, node.left, node.right);
  if (node.class !== 'OPERATOR') return undefined;
  const [first, ...others] = node.children;
  if (first === undefined || !isRow(first)) return undefined;
  switch (node.type) {
    case 'OPERATOR_IS_NULL':
    case 'OPERATOR_IS_NOT_NULL':
      return and(...first.children.map((field) => operator(node.type, field)));
    case 'COMPARE_IN':
    case 'COMPARE_NOT_IN': {
      if (others.length > MAX_ROWS) return undefined;
      const equal = others.map((other) => pairOfRows('COMPARE_EQUAL', first, other));
      if (!equal.every((each) => each !== undefined)) return undefined;
      return node.type === 'COMPARE_IN' ? or(...equal) : operator('OPERATOR_NOT', or(...equal));
    }
    default:
      return undefined;
  }
}

/** The comparison of two rows field by field; undefined for other operands and operators. */
export function pairOfRows(type: string, left: Expression, right: Expression): Expression | undefined {
  if (!isRow(left) || !isRow(right) || left.children.length !== right.children.length) return undefined;
  const pairs = left.children.map((field, i) => [field, right.children[i]!] as const);
  const each = (operatorType: string) => pairs.map(([a, b]) => comparison(operatorType, a, b));
  switch (type) {
    case 'COMPARE_EQUAL':
      return and(...each(type));
    case 'COMPARE_NOTEQUAL':
      return or(...each(type));
    case 'COMPARE_LESSTHAN':
    case 'COMPARE_GREATERTHAN':
    case 'COMPARE_LESSTHANOREQUALTO':
    case 'COMPARE_GREATERTHANOREQUALTO':
      return inOrder(type, pairs);
    default:
      return undefined;
  }
}

/**
 * Lexicographic comparison: every field except the last decides if it differs; the last is compared with
 * `type` itself.
 */
function inOrder(type: string, pairs: readonly (readonly [Expression, Expression])[]): Expression {
  const [[a, b], ...rest] = pairs as readonly [readonly [Expression, Expression], ...typeof pairs];
  if (rest.length === 0) return comparison(type, a, b);
  return or(
    comparison(type.replace('OREQUALTO', ''), a, b),
    and(comparison('COMPARE_EQUAL', a, b), inOrder(type, rest)),
  );
}

export const isRow = (node: Expression): node is FunctionNode =>
  node.class === 'FUNCTION' && node.function_name === 'row' && node.children.length > 0;
