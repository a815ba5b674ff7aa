import type { PlanExpression, PlanType } from '../../plan-nodes.ts';
import { isReference, mapExpression, reference } from '../../relational/expressions/references.ts';
import type { Relation } from '../../relational/relation.ts';

export const DOUBLE: PlanType = { id: 'DOUBLE' };
export const HUGEINT: PlanType = { id: 'HUGEINT' };
export const VARCHAR: PlanType = { id: 'VARCHAR' };

/** Adds the positions that an expression refers to. */
export function addReferences(expression: PlanExpression, into: Set<number>): void {
  mapExpression(expression, (inner) => {
    if (isReference(inner)) into.add(Number(inner.index));
    return undefined;
  });
}

/** Replaces each position that an expression refers to by the result of `at`. */
export const shiftReferences = (expression: PlanExpression, at: (index: number) => number): PlanExpression =>
  mapExpression(expression, (inner) =>
    isReference(inner) ? { ...inner, index: at(Number(inner.index)) } : undefined,
  );

export const referenceTo = (relation: Relation, index: number): PlanExpression => {
  const column = relation.columns[index]!;
  return reference(index, column.type, column.name);
};

/** The position that an expression refers to, if the expression is only a reference. */
export const plainReference = (expression: PlanExpression): number | undefined =>
  isReference(expression) ? Number(expression.index) : undefined;

export const call = (
  name: string,
  children: readonly PlanExpression[],
  type: PlanType,
  isOperator = false,
): PlanExpression => ({
  expression_class: 'BOUND_FUNCTION',
  type: 'BOUND_FUNCTION',
  name,
  children,
  return_type: type,
  ...(isOperator ? { is_operator: true } : {}),
});

export const aggregate = (
  name: string,
  children: readonly PlanExpression[],
  type: PlanType,
  filter?: PlanExpression | null,
): PlanExpression => ({
  expression_class: 'BOUND_AGGREGATE',
  type: 'BOUND_AGGREGATE',
  name,
  children,
  return_type: type,
  aggregate_type: 'NON_DISTINCT',
  ...(filter === undefined || filter === null ? {} : { filter }),
});

export const cast = (child: PlanExpression, type: PlanType): PlanExpression => ({
  expression_class: 'BOUND_CAST',
  type: 'OPERATOR_CAST',
  child,
  return_type: type,
  try_cast: false,
});

export const constant = (type: PlanType, value: unknown): PlanExpression => ({
  expression_class: 'BOUND_CONSTANT',
  type: 'VALUE_CONSTANT',
  value: value === null ? { type, is_null: true } : { type, is_null: false, value },
});

export const compare = (
  type: 'COMPARE_EQUAL' | 'COMPARE_GREATERTHAN',
  left: PlanExpression,
  right: PlanExpression,
): PlanExpression => ({ expression_class: 'BOUND_COMPARISON', type, left, right });

export const operator = (
  type: string,
  children: readonly PlanExpression[],
  returned: PlanType,
): PlanExpression => ({ expression_class: 'BOUND_OPERATOR', type, children, return_type: returned });

export const caseWhen = (
  checks: readonly (readonly [when: PlanExpression, then: PlanExpression])[],
  otherwise: PlanExpression,
  type: PlanType,
): PlanExpression => ({
  expression_class: 'BOUND_CASE',
  type: 'CASE_EXPR',
  case_checks: checks.map(([when_expr, then_expr]) => ({ when_expr, then_expr })),
  else_expr: otherwise,
  return_type: type,
});

export const isNotNull = (child: PlanExpression): PlanExpression =>
  operator('OPERATOR_IS_NOT_NULL', [child], { id: 'BOOLEAN' });

/** Whether values of the types are stored, and therefore hashed, in the same way. */
export const sameType = (a: PlanType, b: PlanType): boolean =>
  a === b || (a.id === b.id && JSON.stringify(a.type_info ?? null) === JSON.stringify(b.type_info ?? null));
