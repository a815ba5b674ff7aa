import { computedOnce } from '../functions/expressions.ts';
import { needsArgumentsFirst } from '../functions/registry.ts';
import {
  type Expression,
  type FunctionNode,
  type Statement,
  someExpression,
  transformTree,
} from '../tree.ts';

/**
 * Computes the arguments of a macro before its call, if one contains a subquery and the macro would compute it more than once,
 * or in a lambda, in which the kernel allows no subqueries:
 *     tsr_pg_array_remove(a, (SELECT …))   →   [tsr_pg_array_remove(r[1], r[2]) for r in [row(a, (SELECT …))]][1]
 */
export function subqueriesOnce(statement: Statement): Statement {
  // Otherwise the arguments of every call would be searched.
  if (!containsQuery(statement) || !someExpression(statement, isAffected)) return statement;
  return transformTree(statement, {
    expression: (node) => (isAffected(node) ? argumentsFirst(node) : node),
  });
}

const isAffected = (node: Expression): node is FunctionNode =>
  node.class === 'FUNCTION' &&
  needsArgumentsFirst(node.function_name) &&
  node.children.some(containsQuery) &&
  !node.children.some(({ class: kind }) => kind === 'LAMBDA');

const containsQuery = (node: Expression | Statement): boolean =>
  someExpression(node, (part) => part.class === 'SUBQUERY');

const isConstant = (node: Expression): boolean =>
  node.class === 'CAST' ? isConstant(node.child) : node.class === 'CONSTANT' || node.class === 'PARAMETER';

function argumentsFirst(node: FunctionNode): Expression {
  const computed = node.children.filter((child) => !isConstant(child));
  const call = computedOnce(
    computed,
    (operands) => ({
      ...node,
      alias: '',
      children: node.children.map((child) => operands[computed.indexOf(child)] ?? child),
    }),
    'tsr_arguments',
  );
  return { ...call, alias: node.alias, query_location: node.query_location };
}
