import { COMPARISONS } from '../comparisons.ts';
import type { PlanFilter, PlanGet } from '../plan-nodes.ts';
import { constantText, expressionText } from './expression-text.ts';

/** The filters of a scan as texts for EXPLAIN. */
export const scanConditions = (get: PlanGet): readonly string[] =>
  (get.table_filters?.filters ?? []).map(({ key, value }) =>
    filterText(value, get.names?.[Number(key)] ?? '?'),
  );

function filterText(filter: PlanFilter, column: string): string {
  const inner = () => (filter.child_filters ?? []).map((child) => filterText(child, column));
  switch (filter.filter_type) {
    case 'CONSTANT_COMPARISON':
      return `${column} ${COMPARISONS[filter.comparison_type ?? ''] ?? '?'} ${filter.constant ? constantText(filter.constant) : '?'}`;
    case 'IS_NULL':
      return `${column} IS NULL`;
    case 'IS_NOT_NULL':
      return `${column} IS NOT NULL`;
    case 'IN_FILTER':
      return `${column} IN (${(filter.values ?? []).map(constantText).join(', ')})`;
    case 'CONJUNCTION_AND':
      return inner().join(' AND ');
    case 'CONJUNCTION_OR':
      return `(${inner().join(' OR ')})`;
    case 'OPTIONAL_FILTER':
      return filter.child_filter === undefined ? column : filterText(filter.child_filter, column);
    case 'EXPRESSION_FILTER':
      return filter.expr === undefined ? column : expressionText(filter.expr).replaceAll(/#0\b/g, column);
    default:
      return `${column} ${filter.filter_type.toLowerCase()}`;
  }
}
