import { expect, it } from 'vitest';
import type { PlanExpression } from '../../plan-nodes.ts';
import { selectivity } from './selectivity.ts';

const match = { expression_class: 'BOUND_FUNCTION', type: 'BOUND_FUNCTION', name: 'regexp_matches' } as const;
const not = (child: PlanExpression): PlanExpression => ({
  expression_class: 'BOUND_OPERATOR',
  type: 'OPERATOR_NOT',
  children: [child],
});
const choice = (else_expr: PlanExpression): PlanExpression => ({
  expression_class: 'BOUND_CASE',
  type: 'CASE_EXPR',
  case_checks: [],
  else_expr,
});

it('a choice between literal patterns is estimated like the variable pattern that it replaces', () => {
  const share = (predicate: PlanExpression) => selectivity(predicate, { distinct: [], tableColumns: [] });
  expect(share(choice(choice(match)))).toBe(share(match));
  expect(share(choice(not(match)))).toBe(share(not(match)));
  expect(share(match)).not.toBe(share(not(match)));
});
