import type { Column, TableObject } from '@tessera/catalog';
import type { Comparison, Conjunct } from '../predicate.ts';
import { type OrderedValue, orderOf, type ValueOrder } from '../values/order.ts';

/**
 * What is known about a column's values in some rows. Absent bounds are unknown, unless all values are NULL.
 */
export interface ColumnBounds {
  readonly min?: OrderedValue | undefined;
  readonly max?: OrderedValue | undefined;
  readonly someNull: boolean;
  readonly allNull: boolean;
}

/** A predicate with its column resolved and its constants parsed, once for all tablets. */
export type Condition =
  | {
      readonly kind: 'compare';
      readonly column: Column;
      readonly order: ValueOrder;
      readonly operator: Comparison['operator'];
      readonly value: OrderedValue;
    }
  | {
      readonly kind: 'in';
      readonly column: Column;
      readonly order: ValueOrder;
      readonly values: readonly OrderedValue[];
    }
  | { readonly kind: 'null'; readonly column: Column; readonly isNull: boolean }
  | { readonly kind: 'or'; readonly branches: readonly (readonly Condition[])[] };

/**
 * The conditions that can be evaluated on bounds. Others are omitted, and so is an `or` with such a branch.
 */
export function conditionsOf(
  table: Pick<TableObject, 'columns'>,
  conjuncts: readonly Conjunct[],
): Condition[] {
  return conjuncts.flatMap((conjunct) => conditionOf(table, conjunct) ?? []);
}

function conditionOf(table: Pick<TableObject, 'columns'>, conjunct: Conjunct): Condition | undefined {
  if (conjunct.kind === 'or') {
    const branches = conjunct.branches.map((branch) => conditionsOf(table, branch));
    return branches.some((branch) => branch.length === 0) ? undefined : { kind: 'or', branches };
  }
  const column = table.columns.find(({ name }) => name === conjunct.column);
  if (column === undefined) return undefined;
  if (conjunct.kind === 'null') return { kind: 'null', column, isNull: conjunct.isNull };
  const order = orderOf(column.type);
  if (order === undefined) return undefined;
  if (conjunct.kind === 'compare') {
    const value = order.parse(conjunct.value);
    return value === undefined
      ? undefined
      : { kind: 'compare', column, order, operator: conjunct.operator, value };
  }
  const values = conjunct.values.map(order.parse);
  return values.includes(undefined)
    ? undefined
    : { kind: 'in', column, order, values: values as OrderedValue[] };
}

/**
 * Whether a row may satisfy the condition; `bounds` returns undefined for a column of which nothing is known.
 */
export function mayHold(condition: Condition, bounds: (column: Column) => ColumnBounds | undefined): boolean {
  if (condition.kind === 'or')
    return condition.branches.some((branch) => branch.every((inner) => mayHold(inner, bounds)));
  const known = bounds(condition.column);
  if (known === undefined) return true;
  if (condition.kind === 'null') return condition.isNull ? known.someNull : !known.allNull;
  if (known.allNull) return false;
  if (condition.kind === 'in') return condition.values.some((value) => mayBe(value, known, condition.order));
  return mayCompare(condition.operator, condition.value, known, condition.order);
}

function mayCompare(
  operator: Comparison['operator'],
  value: OrderedValue,
  bounds: ColumnBounds,
  order: ValueOrder,
): boolean {
  switch (operator) {
    case '=':
      return reachesDown(bounds, value, order, true) && reachesUp(bounds, value, order, true);
    case '<':
      return reachesDown(bounds, value, order, false);
    case '<=':
      return reachesDown(bounds, value, order, true);
    case '>':
      return reachesUp(bounds, value, order, false);
    case '>=':
      return reachesUp(bounds, value, order, true);
    case '<>': {
      // Equal bounds are exact values: a truncated text has an upper bound above its lower one.
      const { min, max } = bounds;
      if (min === undefined || max === undefined) return true;
      return order.compare(min, value) !== 0 || order.compare(max, value) !== 0;
    }
  }
}

/** Whether a value below `value`, or equal to it, is possible. */
function reachesDown({ min }: ColumnBounds, value: OrderedValue, order: ValueOrder, equal: boolean): boolean {
  if (min === undefined) return true;
  const place = order.compare(min, value);
  return place < 0 || (equal && place === 0);
}

function reachesUp({ max }: ColumnBounds, value: OrderedValue, order: ValueOrder, equal: boolean): boolean {
  if (max === undefined) return true;
  const place = order.compare(max, value);
  return place > 0 || (equal && place === 0);
}

const mayBe = (value: OrderedValue, bounds: ColumnBounds, order: ValueOrder): boolean =>
  mayCompare('=', value, bounds, order);
