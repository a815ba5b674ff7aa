import type { PlanExpression } from '../../plan-nodes.ts';
import { valueText } from '../../value-text.ts';
import { plainReference } from '../tree/expressions.ts';
import { shareOfValue, sharesOf, type TableColumn } from './common-values.ts';

/** What is known about the columns of a relation, by position. */
export interface ColumnFacts {
  readonly distinct: readonly number[];
  /** Undefined where the column does not have the values of a table's column. */
  readonly tableColumns: readonly (TableColumn | undefined)[];
}

const RANGE = 0.3;
const LIKE = 0.1;
const NULLS = 0.04;
/** The least share of NULL: some may have been added. */
const LEAST_NULLS = 1e-6;
const UNKNOWN = 0.25;

/**
 * The fraction of rows that satisfy a condition, 0 to 1, estimated from its kind and the distinct values of
 * its operands.
 */
export function selectivity(predicate: PlanExpression, columns: ColumnFacts): number {
  const { type, children = [], left, right, name, else_expr } = predicate;
  switch (type) {
    case 'CONJUNCTION_AND':
      return all(children.map((child) => selectivity(child, columns)));
    case 'CONJUNCTION_OR':
      return 1 - children.reduce((missed, child) => missed * (1 - selectivity(child, columns)), 1);
    case 'OPERATOR_NOT':
      return clamp(1 - selectivity(children[0]!, columns));
    case 'OPERATOR_IS_NULL':
      return shareOfNull(children[0], columns);
    case 'OPERATOR_IS_NOT_NULL':
      return 1 - shareOfNull(children[0], columns);
    case 'COMPARE_EQUAL':
    case 'COMPARE_NOT_DISTINCT_FROM':
      return shareOfEqual(left, right, columns);
    case 'COMPARE_NOTEQUAL':
    case 'COMPARE_DISTINCT_FROM':
      return clamp(1 - shareOfEqual(left, right, columns, 2));
    case 'COMPARE_LESSTHAN':
    case 'COMPARE_LESSTHANOREQUALTO':
    case 'COMPARE_GREATERTHAN':
    case 'COMPARE_GREATERTHANOREQUALTO':
      return RANGE;
    case 'COMPARE_BETWEEN':
      return RANGE * RANGE;
    case 'COMPARE_IN':
      return clamp(shareOfAny(children, columns));
    case 'COMPARE_NOT_IN':
      return clamp(1 - shareOfAny(children, columns));
    case 'BOUND_FUNCTION':
      return /~~|like|contains|prefix|suffix|regexp/.test(name ?? '')
        ? (name ?? '').startsWith('!')
          ? 1 - LIKE
          : LIKE
        : UNKNOWN;
    // The branches of a choice between patterns are alike, and the last one is the condition as it was written.
    case 'CASE_EXPR':
      return else_expr === undefined ? UNKNOWN : selectivity(else_expr, columns);
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

/** The share of the rows in which an expression is NULL. */
function shareOfNull(expression: PlanExpression | undefined, columns: ColumnFacts): number {
  const index = expression && plainReference(expression);
  const nulls = index === undefined ? undefined : sharesOf(columns.tableColumns[index])?.nulls;
  return nulls === undefined ? NULLS : Math.max(LEAST_NULLS, nulls);
}

/** @param least the number of values that is assumed at least */
function shareOfEqual(
  left: PlanExpression | undefined,
  right: PlanExpression | undefined,
  columns: ColumnFacts,
  least = 1,
): number {
  return (
    shareOfConstant(left, right, columns) ??
    shareOfConstant(right, left, columns) ??
    1 / Math.max(valuesOf(left, columns), valuesOf(right, columns), least)
  );
}

/** The share of the rows in which the first of the expressions equals one of the others. */
function shareOfAny([tested, ...others]: readonly PlanExpression[], columns: ColumnFacts): number {
  const usual = 1 / Math.max(valuesOf(tested, columns), 2);
  return others.reduce((sum, other) => sum + (shareOfConstant(tested, other, columns) ?? usual), 0);
}

/** The share of the rows in which a column has a value; undefined if its common values are not known. */
function shareOfConstant(
  column: PlanExpression | undefined,
  constant: PlanExpression | undefined,
  { distinct, tableColumns }: ColumnFacts,
): number | undefined {
  const index = column && plainReference(column);
  if (index === undefined || constant?.value === undefined) return undefined;
  const shares = sharesOf(tableColumns[index]);
  const value = valueText(constant.value);
  if (shares === undefined || value === undefined || shares.common.size === 0) return undefined;
  return shareOfValue(shares, value, distinct[index] ?? 1);
}

/** The number of values that an expression over columns can have; 1 for a constant. */
function valuesOf(expression: PlanExpression | undefined, columns: ColumnFacts): number {
  if (expression === undefined || expression.value !== undefined) return 1;
  const index = plainReference(expression);
  if (index !== undefined) return columns.distinct[index] ?? 10;
  if (expression.child !== undefined) return valuesOf(expression.child, columns);
  return 10;
}

const clamp = (share: number): number => Math.min(1, Math.max(0.001, share));
