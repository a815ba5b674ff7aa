import { internalCall } from '../functions/expressions.ts';
import { internalName } from '../functions/internal-macros.ts';
import { type Expression, type Statement, someExpression, stringLiteral, transformTree } from '../tree.ts';
import { operandsOf, withOperands } from './operands.ts';

const TRUNCATED: ReadonlySet<string> = new Set(['date_trunc', 'date_trunc_years'].map(internalName));
const KEPT = internalName('kept');

/**
 * `NOT date_trunc('month', ts) = '2024-02-15'` → `NOT tsr_kept(date_trunc('month', ts)) = '2024-02-15'`: the kernel makes a condition on
 * `ts` of such a comparison, which is false instead of NULL where `ts` is NULL, and wrong for infinite times. An `=` between the ANDs
 * of WHERE, where NULL and false are the same, stays as it is, so that the condition on `ts` can skip parts of the table.
 */
export function truncatedComparisons(statement: Statement): Statement {
  if (!someExpression(statement, isConcerned)) return statement;
  return transformTree(statement, {
    expression: (node) =>
      isConcerned(node)
        ? withOperands(node, (operand) => (isTruncated(operand) ? internalCall('kept', operand) : operand))
        : node,
    queryNode: (node) =>
      node.type === 'SELECT_NODE' && node.where_clause !== null
        ? { ...node, where_clause: asWritten(node.where_clause) }
        : node,
  });
}

const isTruncated = (node: Expression): boolean =>
  node.class === 'FUNCTION' && TRUNCATED.has(node.function_name);

const isInfinite = (node: Expression): boolean =>
  /inf/i.test(stringLiteral(node.class === 'CAST' ? node.child : node) ?? '');

const isConcerned = (node: Expression): boolean =>
  node.class === 'COMPARISON' &&
  operandsOf(node).some(isTruncated) &&
  (/^COMPARE_(?:NOT)?EQUAL$/.test(node.type) || operandsOf(node).some(isInfinite));

function asWritten(condition: Expression): Expression {
  if (condition.class === 'CONJUNCTION' && condition.type === 'CONJUNCTION_AND')
    return { ...condition, children: condition.children.map(asWritten) };
  if (condition.class !== 'COMPARISON' || condition.type !== 'COMPARE_EQUAL') return condition;
  if (operandsOf(condition).some(isInfinite)) return condition;
  return withOperands(condition, (operand) =>
    operand.class === 'FUNCTION' && operand.function_name === KEPT ? operand.children[0]! : operand,
  );
}
