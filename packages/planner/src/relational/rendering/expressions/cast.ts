import type { PlanExpression } from '../../../plan-nodes.ts';
import { expressionType } from '../../expressions/expression-type.ts';
import { unsupported } from '../../unsupported-plan.ts';
import { exampleSql, isNameable } from '../null-sql.ts';
import { typeSql } from '../type-sql.ts';
import type { ExpressionScope } from './expression-scope.ts';

export function castSql({ child, return_type, try_cast }: PlanExpression, scope: ExpressionScope): string {
  if (child === undefined || return_type === undefined) return unsupported('a cast without its type');
  const value = scope.render(child, scope);
  // A value without a type takes the type of the value beside it.
  if (!isNameable(return_type) && expressionType(child).id === 'NULL')
    return `CASE WHEN false THEN ${exampleSql(return_type)} ELSE ${value} END`;
  return `${try_cast === true ? 'TRY_CAST' : 'CAST'}(${value} AS ${typeSql(return_type)})`;
}
