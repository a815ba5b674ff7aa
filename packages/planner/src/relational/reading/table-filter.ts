import type { PlanExpression, PlanFilter, PlanType, PlanValue } from '../../plan-nodes.ts';
import { BOOLEAN, expressionType } from '../expressions/expression-type.ts';
import { substituteReferences } from '../expressions/references.ts';
import { unsupported } from '../unsupported-plan.ts';

/**
 * Translates the filter of a scan on a column to conditions that every row must satisfy.
 * @throws UnsupportedPlan
 */
export function tableFilterPredicates(filter: PlanFilter, column: PlanExpression): readonly PlanExpression[] {
  const children = filter.child_filters ?? [];
  switch (filter.filter_type) {
    case 'CONSTANT_COMPARISON':
      if (filter.constant === undefined || filter.comparison_type === undefined)
        return unsupported('a comparison without its constant');
      return [{ type: filter.comparison_type, left: column, right: constant(filter.constant) }];
    case 'IS_NULL':
      return [test('OPERATOR_IS_NULL', column)];
    case 'IS_NOT_NULL':
      return [test('OPERATOR_IS_NOT_NULL', column)];
    case 'IN_FILTER':
      return [
        {
          type: 'COMPARE_IN',
          return_type: BOOLEAN,
          children: [column, ...(filter.values ?? []).map(constant)],
        },
      ];
    case 'CONJUNCTION_AND':
      return children.flatMap((child) => tableFilterPredicates(child, column));
    case 'CONJUNCTION_OR':
      return [
        {
          type: 'CONJUNCTION_OR',
          return_type: BOOLEAN,
          children: children.map((child) => conjunction(tableFilterPredicates(child, column))),
        },
      ];
    // The rows are tested again above the scan.
    case 'OPTIONAL_FILTER':
      return [];
    case 'EXPRESSION_FILTER':
      return filter.expr === undefined
        ? unsupported('an expression filter without its expression')
        : [substituteReferences(filter.expr, [column])];
    case 'STRUCT_EXTRACT':
      return filter.child_filter === undefined
        ? unsupported('a struct filter without its field')
        : tableFilterPredicates(filter.child_filter, field(column, filter.child_name ?? ''));
    default:
      return unsupported(`the filter ${filter.filter_type}`);
  }
}

const constant = (value: PlanValue): PlanExpression => ({ type: 'VALUE_CONSTANT', value });

const test = (type: string, column: PlanExpression): PlanExpression => ({
  type,
  return_type: BOOLEAN,
  children: [column],
});

function conjunction(predicates: readonly PlanExpression[]): PlanExpression {
  const [only, ...others] = predicates;
  if (only === undefined) return constant({ type: BOOLEAN, value: true });
  return others.length === 0 ? only : { type: 'CONJUNCTION_AND', return_type: BOOLEAN, children: predicates };
}

function field(struct: PlanExpression, name: string): PlanExpression {
  const of = expressionType(struct);
  const type = of.type_info?.child_types?.find(({ first }) => first === name)?.second;
  if (type === undefined) return unsupported('the field of a struct filter');
  const text: PlanType = { id: 'VARCHAR' };
  return {
    type: 'BOUND_FUNCTION',
    name: 'struct_extract',
    return_type: type,
    arguments: [of, text],
    children: [struct, constant({ type: text, value: name })],
  };
}
