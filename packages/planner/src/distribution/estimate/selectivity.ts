import type { PlanExpression } from '../../plan-nodes.ts';
import { plainReference } from '../tree/expressions.ts';

/** The distinct values of the column at a position; undefined if it is not a column. */
export type DistinctOf = (index: number) => number | undefined;

const RANGE = 0.3;
const LIKE = 0.1;
const NULLS = 0.04;
const UNKNOWN = 0.25;

/**
 * The fraction of rows that satisfy a condition, 0 to 1, estimated from its kind and the distinct values of
 * its operands.
 */
export function selectivity(predicate: PlanExpression, distinct: DistinctOf): number {
  const { type, children = [], left, right, name, else_expr } = predicate;
  switch (type) {
    case 'CONJUNCTION_AND':
      return all(children.map((child) => selectivity(child, distinct)));
    case 'CONJUNCTION_OR':
      return 1 - children.reduce((missed, child) => missed * (1 - selectivity(child, distinct)), 1);
    case 'OPERATOR_NOT':
      return clamp(1 - selectivity(children[0]!, distinct));
    case 'OPERATOR_IS_NULL':
      return NULLS;
    case 'OPERATOR_IS_NOT_NULL':
      return 1 - NULLS;
    case 'COMPARE_EQUAL':
    case 'COMPARE_NOT_DISTINCT_FROM':
      return 1 / Math.max(valuesOf(left, distinct), valuesOf(right, distinct), 1);
    case 'COMPARE_NOTEQUAL':
    case 'COMPARE_DISTINCT_FROM':
      return 1 - 1 / Math.max(valuesOf(left, distinct), valuesOf(right, distinct), 2);
    case 'COMPARE_LESSTHAN':
    case 'COMPARE_LESSTHANOREQUALTO':
    case 'COMPARE_GREATERTHAN':
    case 'COMPARE_GREATERTHANOREQUALTO':
      return RANGE;
    case 'COMPARE_BETWEEN':
      return RANGE * RANGE;
    case 'COMPARE_IN':
      return clamp((children.length - 1) / Math.max(valuesOf(children[0], distinct), 2));
    case 'COMPARE_NOT_IN':
      return clamp(1 - (children.length - 1) / Math.max(valuesOf(children[0], distinct), 2));
    case 'BOUND_FUNCTION':
      return /~~|like|contains|prefix|suffix|regexp/.test(name ?? '')
        ? (name ?? '').startsWith('!')
          ? 1 - LIKE
          : LIKE
        : UNKNOWN;
    // The branches of a choice between patterns are alike, and the last one is the condition as it was written.
    case 'CASE_EXPR':
      return else_expr === undefined ? UNKNOWN : selectivity(else_expr, distinct);
    case 'BOUND_REF':
      return 0.5;
    default:
      return UNKNOWN;
  }
}

/**
 * The combined selectivity of several conditions. Each further condition counts less, since conditions tend
 * to be correlated.
 */
export function all(shares: readonly number[]): number {
  return [...shares]
    .sort((a, b) => a - b)
    .reduce((product, share, i) => product * share ** (1 / Math.min(2 ** i, 8)), 1);
}

/** The number of values that an expression over columns can have; 1 for a constant. */
function valuesOf(expression: PlanExpression | undefined, distinct: DistinctOf): number {
  if (expression === undefined || expression.value !== undefined) return 1;
  const index = plainReference(expression);
  if (index !== undefined) return distinct(index) ?? 10;
  if (expression.child !== undefined) return valuesOf(expression.child, distinct);
  return 10;
}

const clamp = (share: number): number => Math.min(1, Math.max(0.001, share));
