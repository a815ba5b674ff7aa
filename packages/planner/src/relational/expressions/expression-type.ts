import type { PlanExpression, PlanType } from '../../plan-nodes.ts';
import { unsupported } from '../unsupported-plan.ts';

export const BOOLEAN: PlanType = { id: 'BOOLEAN' };
export const INTEGER: PlanType = { id: 'INTEGER' };
export const BIGINT: PlanType = { id: 'BIGINT' };

/** @throws UnsupportedPlan for an expression whose type the plan does not contain */
export function expressionType(expression: PlanExpression): PlanType {
  const { type, return_type, value } = expression;
  if (return_type !== undefined) return return_type;
  if (value !== undefined) return value.type;
  if (/^(?:COMPARE|CONJUNCTION|OPERATOR_NOT|OPERATOR_IS)/.test(type)) return BOOLEAN;
  return unsupported(`the type of ${type}`);
}
