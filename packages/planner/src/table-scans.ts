import { fail } from '@tessera/common';
import { MANAGED_SCHEMA, parseTree } from '@tessera/sql';
import type { Conjunct } from '@tessera/tablet';
import { expressionConjuncts, type FilteredColumn, filterConjuncts } from './conjuncts.ts';
import { isGet, type PlanGet, type PlanOperator } from './plan-nodes.ts';
import type { TableScan } from './table-scan.ts';

/**
 * What a statement reads of each managed table, from the text that `json_serialize_plan` gives for it. Tables that the
 * plan does without are not in the result.
 * @throws TesseraError STATEMENT_FAILED when the kernel gave no plan
 */
export function tableScans(serialized: string): readonly TableScan[] {
  const answer = parseTree(serialized) as { error?: boolean; error_message?: string; plans?: PlanOperator[] };
  const [plan] = answer.plans ?? [];
  if (plan === undefined) {
    return fail('STATEMENT_FAILED', { message: `The kernel gives no plan: ${answer.error_message ?? ''}` });
  }
  const scans = new Map<string, { columns: Set<string>; filters: (readonly Conjunct[])[] }>();
  visit(plan, undefined, (get, filters) => {
    const relation = get.function_data?.table ?? '';
    const scan = scans.get(relation) ?? { columns: new Set(), filters: [] };
    scans.set(relation, scan);
    for (const index of columnIndexes(get)) {
      const name = get.names?.[index];
      if (name !== undefined) scan.columns.add(name);
    }
    scan.filters.push(filters);
  });
  return [...scans].map(([relation, { columns, filters }]) => ({
    relation,
    columns: [...columns],
    filters,
  }));
}

function visit(
  node: PlanOperator,
  parent: PlanOperator | undefined,
  onScan: (get: PlanGet, filters: readonly Conjunct[]) => void,
): void {
  if (isGet(node) && node.function_data?.schema === MANAGED_SCHEMA) onScan(node, filtersOf(node, parent));
  for (const child of node.children ?? []) visit(child, node, onScan);
}

/** Places beyond the columns are the row id and the like. */
const columnIndexes = (get: PlanGet): readonly number[] =>
  (get.column_indexes ?? []).map(({ index }) => Number(index));

function filtersOf(get: PlanGet, parent: PlanOperator | undefined): readonly Conjunct[] {
  const columnOf = (index: number): FilteredColumn | undefined => {
    const [name, type] = [get.names?.[index], get.returned_types?.[index]];
    return name === undefined || type === undefined ? undefined : { name, type };
  };
  const conjuncts = (get.table_filters?.filters ?? []).flatMap(({ key, value }) => {
    const column = columnOf(Number(key));
    return column === undefined ? [] : filterConjuncts(value, column);
  });
  if (parent?.type !== 'LOGICAL_FILTER' || (get.projection_ids ?? []).length > 0) return conjuncts;
  const given = columnIndexes(get);
  const above = (parent.expressions ?? []).flatMap((expression) =>
    expressionConjuncts(expression, (index) => columnOf(given[index] ?? -1)),
  );
  return [...conjuncts, ...above];
}
