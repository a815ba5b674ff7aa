import type { PlanExpression, PlanType } from '../../plan-nodes.ts';
import type { RelationColumn } from '../relation.ts';
import { expressionType } from './expression-type.ts';

/** A reference to a column by its position. */
export const reference = (index: number, type: PlanType, alias?: string): PlanExpression => ({
  expression_class: 'BOUND_REF',
  type: 'BOUND_REF',
  ...(alias === undefined ? {} : { alias }),
  return_type: type,
  index,
});

/** The name of the column that an expression is, for EXPLAIN. */
export const columnOf = (expression: PlanExpression, inputs: readonly RelationColumn[]): RelationColumn => ({
  name:
    expression.alias ??
    (isReference(expression) ? inputs[expression.index]?.name : undefined) ??
    expression.name ??
    '',
  type: expressionType(expression),
});

export const isReference = (
  expression: PlanExpression,
): expression is PlanExpression & { readonly index: number } =>
  expression.type === 'BOUND_REF' && expression.index !== undefined;

/** Fields without references to columns; references inside a lambda are to its own parameters. */
const OPAQUE = new Set([
  'function_data',
  'return_type',
  'value',
  'arguments',
  'original_arguments',
  'query_location',
]);

/**
 * Calls `change` for every expression inside, outermost first; its result, if any, replaces the expression.
 */
export function mapExpression(
  expression: PlanExpression,
  change: (expression: PlanExpression) => PlanExpression | undefined,
): PlanExpression {
  return mapped(expression) as PlanExpression;

  /** Returns the same value if nothing inside changes. */
  function mapped(value: unknown): unknown {
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) {
      const items = value.map(mapped);
      return items.some((item, i) => item !== value[i]) ? items : value;
    }
    if ('type' in value && typeof value.type === 'string') {
      const changed = change(value as PlanExpression);
      if (changed !== undefined) return changed;
    }
    let copy: Record<string, unknown> | undefined;
    for (const [key, field] of Object.entries(value)) {
      if (typeof field !== 'object' || OPAQUE.has(key)) continue;
      const changed = mapped(field);
      if (changed === field) continue;
      copy ??= { ...value };
      copy[key] = changed;
    }
    return copy ?? value;
  }
}

/** The positions that one or several expressions refer to. */
export function references(...expressions: readonly PlanExpression[]): ReadonlySet<number> {
  const found = new Set<number>();
  for (const expression of expressions)
    mapExpression(expression, (inner) => {
      if (isReference(inner)) found.add(inner.index);
      return undefined;
    });
  return found;
}

/** Replaces each reference in an expression by the corresponding element of `inputs`. */
export const substituteReferences = (
  expression: PlanExpression,
  inputs: readonly PlanExpression[],
): PlanExpression =>
  mapExpression(expression, (inner) => (isReference(inner) ? inputs[inner.index] : undefined));
