import type { PlanExpression } from '../../../plan-nodes.ts';

/** What references mean where an expression is rendered. */
export interface ExpressionScope {
  /** SQL of the column at a position. */
  readonly column: (index: number) => string;
  readonly render: (expression: PlanExpression, scope: ExpressionScope) => string;
  /** The number of enclosing lambdas; names of parameters are numbered by it. */
  readonly depth: number;
}
