import { internalCall } from '../functions/expressions.ts';
import { internalName } from '../functions/internal-macros.ts';
import { type Expression, type FunctionNode, type Statement, someExpression } from '../tree.ts';
import { floatsFrom } from './column-facts.ts';
import type { CatalogColumns, FactsOf } from './column-scope.ts';
import { isFloat } from './float-kind.ts';
import { rewriteInScope } from './scoped-expressions.ts';
import { onceOnly } from './value-texts.ts';

/**
 * `round` of a floating-point number rounds halves to the even number, as PostgreSQL does; the kernel rounds 2.5 to 3:
 *     round(d)      →   tsr_round(d)
 *     round(x, n)   →   tsr_round_to(x, n)    for a NUMERIC and a column n, which the kernel refuses
 * `round` of a numeric rounds halves away from zero, also if the numeric is a DOUBLE PRECISION in the kernel. The macros ask for the
 * type if it is unknown here, as that of a column of a file is.
 * @param outermost see `rewriteInScope`
 */
export function halvesToEven(statement: Statement, catalog: CatalogColumns, outermost: FactsOf): Statement {
  if (!someExpression(statement, (node) => isRound(node) || variesInDigits(node))) return statement;
  return rewriteInScope(statement, catalog, outermost, (node, factsOf) => {
    const isFloating = (number: Expression) => isFloat(number, floatsFrom(factsOf));
    if (isRound(node) && isFloating(node.children[0]!) !== false)
      return onceOnly(node.children[0]!, (value) => internalCall('round', value));
    return variesInDigits(node) && isFloating(node.children[0]!) !== true
      ? { ...node, function_name: internalName(`${node.function_name}_to`) }
      : node;
  });
}

const isRound = (node: Expression): node is FunctionNode =>
  node.class === 'FUNCTION' && node.function_name === 'round' && node.children.length === 1;

const variesInDigits = (node: Expression): node is FunctionNode =>
  node.class === 'FUNCTION' &&
  /^(?:round|trunc)$/.test(node.function_name) &&
  node.children.length === 2 &&
  someExpression(node.children[1]!, ({ class: kind }) => kind === 'COLUMN_REF' || kind === 'SUBQUERY');
