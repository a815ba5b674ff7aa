import type { PlanExpression } from '../../../plan-nodes.ts';
import { expressionType } from '../../expressions/expression-type.ts';
import { unsupported } from '../../unsupported-plan.ts';
import { exampleSql, isNameable } from '../null-sql.ts';
import { typeSql } from '../type-sql.ts';
import { aggregateSql } from './aggregate-call.ts';
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

function caseSql({ case_checks, else_expr }: PlanExpression, scope: ExpressionScope): string {
  const checks = case_checks ?? [];
  if (checks.length === 0 || else_expr === undefined) return unsupported('a CASE without branches');
  const branches = checks.map(
    ({ when_expr, then_expr }) =>
      `WHEN ${scope.render(when_expr, scope)} THEN ${scope.render(then_expr, scope)}`,
  );
  return `CASE ${branches.join(' ')} ELSE ${scope.render(else_expr, scope)} END`;
}

function castSql({ child, return_type, try_cast }: PlanExpression, scope: ExpressionScope): string {
  if (child === undefined || return_type === undefined) return unsupported('a cast without its type');
  const value = scope.render(child, scope);
  // A value without a type takes the type of the other operand.
  if (!isNameable(return_type) && expressionType(child).id === 'NULL')
    return `CASE WHEN false THEN ${exampleSql(return_type)} ELSE ${value} END`;
  return `${try_cast === true ? 'TRY_CAST' : 'CAST'}(${value} AS ${typeSql(return_type)})`;
}
