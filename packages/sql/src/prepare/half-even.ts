import { internalCall } from '../functions/expressions.ts';
import { type Expression, type FunctionNode, type Statement, someExpression } from '../tree.ts';
import { floatsFrom } from './column-facts.ts';
import type { CatalogColumns, FactsOf } from './column-scope.ts';
import { isFloat } from './float-kind.ts';
import { rewriteInScope } from './scoped-expressions.ts';
import { onceOnly } from './value-texts.ts';

/**
 * `round` of a floating-point number rounds halves to the even number, as PostgreSQL does; the kernel rounds 2.5 to 3:
 *     round(d)   →   tsr_round(d)
 * `round` of a numeric rounds halves away from zero, also if the numeric is a DOUBLE PRECISION in the kernel. The macro asks for the
 * type if it is unknown here, as that of a column of a file is.
 * @param outermost see `rewriteInScope`
 */
export function halvesToEven(statement: Statement, catalog: CatalogColumns, outermost: FactsOf): Statement {
  if (!someExpression(statement, isRound)) return statement;
  return rewriteInScope(statement, catalog, outermost, (node, factsOf) =>
    isRound(node) && isFloat(node.children[0]!, floatsFrom(factsOf)) !== false
      ? onceOnly(node.children[0]!, (value) => internalCall('round', value))
      : node,
  );
}

const isRound = (node: Expression): node is FunctionNode =>
  node.class === 'FUNCTION' && node.function_name === 'round' && node.children.length === 1;
