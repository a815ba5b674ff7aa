import { COMPARISONS, type Comparison } from '../../../comparisons.ts';
import type { PlanExpression } from '../../../plan-nodes.ts';
import { infinityText } from '../../../value-text.ts';
import { isVolatile } from '../../expressions/volatility.ts';
import { unsupported } from '../../unsupported-plan.ts';
import type { ExpressionScope } from './expression-scope.ts';

const OTHERS = new Set([
  'COMPARE_BETWEEN',
  'COMPARE_IN',
  'COMPARE_NOT_IN',
  'CONJUNCTION_AND',
  'CONJUNCTION_OR',
  'OPERATOR_NOT',
  'OPERATOR_IS_NULL',
  'OPERATOR_IS_NOT_NULL',
  'OPERATOR_COALESCE',
  'OPERATOR_TRY',
]);

export const isOperator = (type: string): boolean => type in COMPARISONS || OTHERS.has(type);

/** Renders comparisons, conjunctions and the kernel's special operators. */
export function operatorSql(expression: PlanExpression, scope: ExpressionScope): string {
  const { type, left, right, children = [] } = expression;
  const comparison = COMPARISONS[type];
  if (comparison !== undefined) {
    if (left === undefined || right === undefined) return unsupported('a comparison without its sides');
    return `(${operandSql(left, right, comparison, scope)} ${comparison} ${operandSql(right, left, comparison, scope)})`;
  }
  if (type === 'COMPARE_BETWEEN') return betweenSql(expression, scope);
  const items = children.map((child) => scope.render(child, scope));
  const [first, ...others] = items;
  if (first === undefined) return unsupported(`${type} of nothing`);
  switch (type) {
    case 'CONJUNCTION_AND':
      return `(${items.join(' AND ')})`;
    case 'CONJUNCTION_OR':
      return `(${items.join(' OR ')})`;
    case 'COMPARE_IN':
    case 'COMPARE_NOT_IN': {
      if (others.length === 0) return unsupported('IN of nothing');
      return `(${first} ${type === 'COMPARE_IN' ? 'IN' : 'NOT IN'} (${others.join(', ')}))`;
    }
    case 'OPERATOR_NOT':
      return `(NOT ${first})`;
    case 'OPERATOR_IS_NULL':
      return `(${first} IS NULL)`;
    case 'OPERATOR_IS_NOT_NULL':
      return `(${first} IS NOT NULL)`;
    case 'OPERATOR_COALESCE':
      return `coalesce(${items.join(', ')})`;
    case 'OPERATOR_TRY':
      return `TRY(${first})`;
    default:
      return unsupported(`the operator ${type}`);
  }
}

/**
 * `date_trunc('month', t) <> x` → `(date_trunc('month', t) + to_days(0)) <> x`: the kernel makes a condition on `t` of the comparison,
 * which is not NULL where `t` is NULL, and wrong for infinite times.
 */
function operandSql(
  operand: PlanExpression,
  other: PlanExpression,
  comparison: Comparison,
  scope: ExpressionScope,
): string {
  const sql = scope.render(operand, scope);
  const isConcerned =
    comparison === '=' ||
    comparison === '<>' ||
    (other.value !== undefined && infinityText(other.value) !== undefined);
  return isConcerned && isTruncated(operand) ? `(${sql} + to_days(0))` : sql;
}

/** Whether the value is that of `date_trunc`, which casts to other types of time may surround. */
function isTruncated({ type, name, child, return_type }: PlanExpression): boolean {
  if (type === 'OPERATOR_CAST' && child !== undefined && child !== null)
    return /^(?:DATE|TIMESTAMP.*)$/.test(return_type?.id ?? '') && isTruncated(child);
  return name === 'date_trunc';
}

function betweenSql(expression: PlanExpression, scope: ExpressionScope): string {
  const { input, lower, upper, lower_inclusive, upper_inclusive } = expression;
  if (input === undefined || lower === undefined || upper === undefined)
    return unsupported('BETWEEN without its bounds');
  const [value, low, high] = [input, lower, upper].map((part) => scope.render(part, scope));
  if (lower_inclusive === true && upper_inclusive === true) return `(${value} BETWEEN ${low} AND ${high})`;
  if (isVolatile(input)) return unsupported('BETWEEN of a volatile expression');
  return `(${value} ${lower_inclusive === true ? '>=' : '>'} ${low} AND ${value} ${upper_inclusive === true ? '<=' : '<'} ${high})`;
}
