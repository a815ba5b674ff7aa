import { type Expression, NO_LOCATION, transformTree } from '../tree.ts';

/**
 * Adds parentheses where the kernel's printer omits them and its parser would read another tree:
 *     (~a) + 1            is printed   ~(a) + 1           and read as   ~(a + 1)
 *     (-a)[1]             is printed   -(a)[1]            and read as   -(a[1])
 *     x BETWEEN (a COLLATE c) AND b   is printed without them and is a syntax error
 * A conjunction with a single operand makes the printer write just a pair of parentheses.
 */
export const withPrintedParentheses = <T>(tree: T): T =>
  transformTree(tree, {
    expression: (node) => {
      if (node.class === 'COLLATE' || isPrefixOperator(node)) return parenthesised(node);
      if (node.class !== 'OPERATOR' || !SUBSCRIPTS.has(node.type)) return node;
      const [subject, ...rest] = node.children;
      if (subject === undefined || subject.class === 'COLUMN_REF' || subject.class === 'CONJUNCTION')
        return node;
      return { ...node, children: [parenthesised(subject), ...rest] };
    },
  });

const SUBSCRIPTS: ReadonlySet<string> = new Set(['ARRAY_EXTRACT', 'ARRAY_SLICE']);

const isPrefixOperator = (node: Expression): boolean =>
  node.class === 'FUNCTION' && node.is_operator && node.children.length === 1;

const parenthesised = (node: Expression): Expression => ({
  class: 'CONJUNCTION',
  type: 'CONJUNCTION_AND',
  alias: node.alias,
  query_location: NO_LOCATION,
  children: [{ ...node, alias: '' }],
});
