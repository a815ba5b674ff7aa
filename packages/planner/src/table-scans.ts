import type { Conjunct } from '@tessera/tablet';
import { expressionConjuncts, type FilteredColumn, filterConjuncts } from './conjuncts.ts';
import { managedTable } from './managed-table.ts';
import { type Needed, walkNeededColumns } from './needed-columns.ts';
import type { PlanGet, PlanOperator } from './plan-nodes.ts';
import { parsePlan } from './serialized-plan.ts';
import type { TableScan } from './table-scan.ts';

/**
 * What a statement reads of each managed table, from the text that `json_serialize_plan` returns. Tables that
 * the plan does not need are not in the result.
 * @throws TesseraError STATEMENT_FAILED if the kernel returned no plan
 */
export async function tableScans(serialized: string): Promise<readonly TableScan[]> {
  const plan = await parsePlan(serialized);
  const scans = new Map<
    string,
    { columns: Set<string>; named: Set<string>; filters: (readonly Conjunct[])[] }
  >();
  walkNeededColumns(plan, (get, needed, parent) => {
    const relation = managedTable(get);
    if (relation === undefined) return;
    const scan = scans.get(relation) ?? { columns: new Set(), named: new Set(), filters: [] };
    scans.set(relation, scan);
    const names = (indexes: Iterable<number>) => [...indexes].flatMap((index) => get.names?.[index] ?? []);
    for (const name of names(neededIndexes(get, needed))) scan.columns.add(name);
    for (const name of names(columnIndexes(get))) scan.named.add(name);
    scan.filters.push(filtersOf(get, parent));
  });
  return [...scans].map(([relation, { columns, named, filters }]) => ({
    relation,
    columns: [...columns],
    named: [...named.union(columns)],
    filters,
  }));
}

/** The columns that a scan returns to the operators above, and those that it filters by. */
function neededIndexes(get: PlanGet, needed: Needed): Set<number> {
  const given = columnIndexes(get);
  const projected = get.projection_ids ?? [];
  const places = projected.length === 0 ? given : projected.map((i) => given[i] ?? -1);
  const filtered = (get.table_filters?.filters ?? []).map(({ key }) => Number(key));
  return new Set([...places.filter((_, i) => needed === 'all' || needed.has(i)), ...filtered]);
}

/** The column positions of a scan. Larger positions denote the row id and similar virtual columns. */
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
