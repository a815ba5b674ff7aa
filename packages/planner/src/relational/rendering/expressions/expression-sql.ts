import type { PlanExpression } from '../../../plan-nodes.ts';
import { unsupported } from '../../unsupported-plan.ts';
import { aggregateSql } from './aggregate-call.ts';
import { caseSql } from './case.ts';
import { castSql } from './cast.ts';
import { constantSql } from './constant.ts';
import type { ExpressionScope } from './expression-scope.ts';
import { functionSql } from './function-call.ts';
import { isOperator, operatorSql } from './operator.ts';
import { windowSql } from './window-call.ts';

/**
 * Renders a bound expression as SQL with the same value and type when the kernel binds it again.
 * @param column SQL of the column at a position
 * @throws UnsupportedPlan
 */
export const expressionSql = (expression: PlanExpression, column: (index: number) => string): string =>
  render(expression, { column, render, depth: 0 });

function render(expression: PlanExpression, scope: ExpressionScope): string {
  const { type, index, value, child } = expression;
  if (type.startsWith('WINDOW_')) return windowSql(expression, scope);
  if (isOperator(type)) return operatorSql(expression, scope);
  switch (type) {
    case 'BOUND_REF':
      return scope.column(index ?? unsupported('a reference to nothing'));
    case 'VALUE_CONSTANT':
      return value === undefined ? unsupported('a constant without value') : constantSql(value);
    case 'OPERATOR_CAST':
      return castSql(expression, scope);
    case 'CASE_EXPR':
      return caseSql(expression, scope);
    case 'BOUND_FUNCTION':
      return functionSql(expression, scope);
    case 'BOUND_AGGREGATE':
      return aggregateSql(expression, scope);
    case 'BOUND_UNNEST':
      return child === undefined ? unsupported('unnest of nothing') : `unnest(${render(child, scope)})`;
    default:
      return unsupported(`the expression ${type}`);
  }
}
