import type { PlanExpression } from '../../../plan-nodes.ts';
import { unsupported } from '../../unsupported-plan.ts';
import type { ExpressionScope } from './expression-scope.ts';

/** Functions over lambdas by the number of lambda parameters, without the optional index parameter. */
const PARAMETERS: Readonly<Record<string, number>> = {
  list_transform: 1,
  list_apply: 1,
  array_transform: 1,
  array_apply: 1,
  apply: 1,
  list_filter: 1,
  array_filter: 1,
  filter: 1,
  list_reduce: 2,
  array_reduce: 2,
  reduce: 2,
};

export const takesLambda = (name: string): boolean => name in PARAMETERS;

/**
 * Renders a function over a lambda. Inside the lambda, references are first to the parameters, the last one
 * first, then to captured values, which are the children after the arguments.
 */
export function lambdaCallSql(expression: PlanExpression, scope: ExpressionScope): string {
  const { name = '', children = [], function_data = {} } = expression;
  const body = function_data.lambda_expr as PlanExpression | null | undefined;
  const [list, ...rest] = children;
  if (list === undefined || body === undefined || body === null)
    return unsupported(`${name} without a lambda`);
  const hasInitial = function_data.has_initial === true;
  const count = (PARAMETERS[name] ?? 0) + (function_data.has_index === true ? 1 : 0);
  // An initial value precedes the captured values.
  const captures = hasInitial ? rest.slice(1) : rest;
  const initial = hasInitial ? rest.slice(0, 1) : [];
  const parameters = Array.from({ length: count }, (_, i) => `p${scope.depth + i}`);
  const captured = captures.map((capture) => scope.render(capture, scope));
  const inner = scope.render(body, {
    ...scope,
    depth: scope.depth + count,
    column: (index) =>
      (index < count ? parameters[count - 1 - index] : captured[index - count]) ??
      unsupported('what a lambda refers to'),
  });
  const items = [
    scope.render(list, scope),
    `lambda ${parameters.join(', ')}: ${inner}`,
    ...initial.map((value) => scope.render(value, scope)),
  ];
  return `"${name}"(${items.join(', ')})`;
}
