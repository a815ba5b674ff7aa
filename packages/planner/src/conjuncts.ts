import type { Comparison, Conjunct } from '@tessera/tablet';
import { COMPARISONS } from './comparisons.ts';
import type { PlanExpression, PlanFilter, PlanType, PlanValue } from './plan-nodes.ts';
import { valueText } from './value-text.ts';

/** A column that a condition may compare. */
export interface FilteredColumn {
  readonly name: string;
  readonly type: PlanType;
}

const MIRRORED: Readonly<Record<Comparison['operator'], Comparison['operator']>> = {
  '=': '=',
  '<>': '<>',
  '<': '>',
  '<=': '>=',
  '>': '<',
  '>=': '<=',
};

/** The operator of a comparison in a plan, if conditions may have it. */
function operatorOf(type = ''): Comparison['operator'] | undefined {
  const operator = COMPARISONS[type];
  return operator === 'IS DISTINCT FROM' || operator === 'IS NOT DISTINCT FROM' ? undefined : operator;
}

/** The conditions that a scan's filter on `column` implies; empty if the filter is not understood. */
export function filterConjuncts(filter: PlanFilter, column: FilteredColumn): readonly Conjunct[] {
  switch (filter.filter_type) {
    case 'CONSTANT_COMPARISON':
      return comparison(column, operatorOf(filter.comparison_type), filter.constant);
    case 'IS_NULL':
      return [{ kind: 'null', column: column.name, isNull: true }];
    case 'IS_NOT_NULL':
      return [{ kind: 'null', column: column.name, isNull: false }];
    case 'IN_FILTER':
      return membership(column, filter.values ?? []);
    case 'CONJUNCTION_AND':
      return (filter.child_filters ?? []).flatMap((child) => filterConjuncts(child, column));
    case 'CONJUNCTION_OR':
      return disjunction((filter.child_filters ?? []).map((child) => filterConjuncts(child, column)));
    // The rows are tested again above the scan, so the scan may filter them but need not.
    case 'OPTIONAL_FILTER':
      return filter.child_filter === undefined ? [] : filterConjuncts(filter.child_filter, column);
    case 'EXPRESSION_FILTER':
      return filter.expr === undefined ? [] : expressionConjuncts(filter.expr, () => column);
    default:
      return [];
  }
}

/**
 * The conditions that an expression over columns implies.
 * @param columnAt the column of a reference, undefined if it is not a table's column
 */
export function expressionConjuncts(
  expression: PlanExpression,
  columnAt: (index: number) => FilteredColumn | undefined,
): readonly Conjunct[] {
  const { type, children = [] } = expression;
  const operator = operatorOf(type);
  if (operator !== undefined && expression.left !== undefined && expression.right !== undefined) {
    const [left, right] = [expression.left, expression.right];
    if (right.value !== undefined)
      return onColumn(left, columnAt, (c) => comparison(c, operator, right.value));
    if (left.value !== undefined)
      return onColumn(right, columnAt, (c) => comparison(c, MIRRORED[operator], left.value));
    return [];
  }
  switch (type) {
    case 'CONJUNCTION_AND':
      return children.flatMap((child) => expressionConjuncts(child, columnAt));
    case 'CONJUNCTION_OR':
      return disjunction(children.map((child) => expressionConjuncts(child, columnAt)));
    // The kernel makes one of two comparisons with the bounds of a range.
    case 'COMPARE_BETWEEN': {
      const { input, lower, upper, lower_inclusive, upper_inclusive } = expression;
      return onColumn(input, columnAt, (column) => [
        ...comparison(column, lower_inclusive === true ? '>=' : '>', lower?.value),
        ...comparison(column, upper_inclusive === true ? '<=' : '<', upper?.value),
      ]);
    }
    case 'OPERATOR_IS_NULL':
    case 'OPERATOR_IS_NOT_NULL': {
      const isNull = type === 'OPERATOR_IS_NULL';
      return onColumn(children[0], columnAt, ({ name }) => [{ kind: 'null', column: name, isNull }]);
    }
    case 'COMPARE_IN': {
      const [subject, ...items] = children;
      const values = items.map((item) => item.value);
      if (!values.every((value) => value !== undefined)) return [];
      return onColumn(subject, columnAt, (column) => membership(column, values));
    }
    case 'BOUND_FUNCTION':
      return expression.name === 'prefix' ? prefix(children, columnAt) : [];
    default:
      return [];
  }
}

/** The bounds of texts that begin with another one, which the kernel makes of LIKE. */
function prefix(
  [subject, start]: readonly PlanExpression[],
  columnAt: (index: number) => FilteredColumn | undefined,
): readonly Conjunct[] {
  const text = start?.value && valueText(start.value);
  if (text === undefined || text === '') return [];
  const last = text.codePointAt(text.length - 1)!;
  const end = last < LAST_ASCII ? text.slice(0, -1) + String.fromCodePoint(last + 1) : undefined;
  return onColumn(subject, columnAt, ({ name: column, type: { id } }) => {
    if (id !== 'VARCHAR') return [];
    const from: Conjunct = { kind: 'compare', column, operator: '>=', value: text };
    return end === undefined ? [from] : [from, { kind: 'compare', column, operator: '<', value: end }];
  });
}

/** The character after any other one may be encoded in several ways. */
const LAST_ASCII = 0x7e;

function onColumn(
  node: PlanExpression | undefined,
  columnAt: (index: number) => FilteredColumn | undefined,
  then: (column: FilteredColumn) => readonly Conjunct[],
): readonly Conjunct[] {
  if (node?.type !== 'BOUND_REF' || node.index === undefined) return [];
  const column = columnAt(Number(node.index));
  return column === undefined ? [] : then(column);
}

/** Whether a value has the column's type; values of another type might be ordered differently. */
const isOfType = (value: PlanValue, { id, type_info }: PlanType): boolean =>
  value.type.id === id &&
  (id !== 'DECIMAL' ||
    (value.type.type_info?.scale === type_info?.scale && value.type.type_info?.width === type_info?.width));

function comparison(
  column: FilteredColumn,
  operator: Comparison['operator'] | undefined,
  constant: PlanValue | undefined,
): readonly Conjunct[] {
  if (operator === undefined || constant === undefined || !isOfType(constant, column.type)) return [];
  const value = valueText(constant);
  return value === undefined ? [] : [{ kind: 'compare', column: column.name, operator, value }];
}

function membership(column: FilteredColumn, values: readonly PlanValue[]): readonly Conjunct[] {
  // A NULL in the list matches no row.
  const given = values.filter((value) => value.is_null !== true);
  const texts = given.map((value) => (isOfType(value, column.type) ? valueText(value) : undefined));
  if (!texts.every((text) => text !== undefined)) return [];
  return [{ kind: 'in', column: column.name, values: texts }];
}

/** A branch without conditions may hold for every row, so the whole disjunction has none. */
function disjunction(branches: readonly (readonly Conjunct[])[]): readonly Conjunct[] {
  if (branches.length === 0 || branches.some((branch) => branch.length === 0)) return [];
  return [{ kind: 'or', branches }];
}
