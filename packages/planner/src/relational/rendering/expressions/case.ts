import type { PlanExpression } from '../../../plan-nodes.ts';
import { unsupported } from '../../unsupported-plan.ts';
import type { ExpressionScope } from './expression-scope.ts';

export function caseSql({ case_checks, else_expr }: PlanExpression, scope: ExpressionScope): string {
  const checks = case_checks ?? [];
  if (checks.length === 0 || else_expr === undefined) return unsupported('a CASE without branches');
  const branches = checks.map(
    ({ when_expr, then_expr }) =>
      `WHEN ${scope.render(when_expr, scope)} THEN ${scope.render(then_expr, scope)}`,
  );
  return `CASE ${branches.join(' ')} ELSE ${scope.render(else_expr, scope)} END`;
}
