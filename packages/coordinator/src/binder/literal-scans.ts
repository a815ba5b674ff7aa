import type { Column } from '@tessera/catalog';
import type { TableScan } from '@tessera/planner';
import { literalValue } from '@tessera/sql';
import type { BoundQuery } from '../read/bound-query.ts';

/** Conditions on a table with places for literals. */
export interface ScanTemplate {
  /** The bound name of the table. */
  readonly name: string;
  readonly scan: TableScan;
  /** The number of the literal for each place, by the number of the value in the conditions. */
  readonly places: ReadonlyMap<number, number>;
}

type Conjunct = TableScan['filters'][number][number];

/**
 * The scan of a query whose plan stays the same for other literals, as far as one plan shows: it reads one table once, fetches
 * every column that it names, and no cheaper form of it was derived from the plan.
 */
export function simpleScan({
  named,
  tables,
  files,
  scans,
  prepared,
}: Pick<BoundQuery, 'named' | 'tables' | 'files' | 'scans' | 'prepared'>):
  | Omit<ScanTemplate, 'places'>
  | undefined {
  const [[name, bound] = []] = tables;
  const scan = name === undefined ? undefined : scans?.get(name);
  if (name === undefined || bound === undefined || scan === undefined) return undefined;
  const isAlone = tables.size === 1 && files.size === 0 && named.length === 1 && named[0]!.view === undefined;
  const isReadOnce = prepared.tables.get(name) === 1 && scan.filters.length === 1;
  if (!isAlone || !isReadOnce || prepared.topRows !== undefined || prepared.indexes.length > 0)
    return undefined;
  const read = new Set(scan.columns);
  const namesColumn = ({ name: column }: Column) => prepared.namedColumns?.has(column.toLowerCase()) ?? true;
  return bound.table.columns.every((column) => !namesColumn(column) || read.has(column.name))
    ? { name, scan }
    : undefined;
}

/**
 * Compares the scans of two queries that differ in literals only. Every literal that differs must be the value of exactly one
 * condition, on the column that the SQL compares with it: then the condition holds for each row of the result whatever the
 * value, because the kernel has derived it from the only place where the literal occurs. Undefined if the scans differ in
 * anything else.
 *
 * Equal values alone are no proof: of `a + 1 = 3 AND b - 1 = 2`, the kernel makes `a = 2 AND b = 3`, where each condition has the
 * other one's literal.
 * @param compared the column that the SQL compares with each literal that differs; each of these literals occurs once
 */
export function scanTemplate(
  a: { readonly bound: BoundQuery; readonly literals: readonly string[] },
  b: { readonly bound: BoundQuery; readonly literals: readonly string[] },
  compared: ReadonlyMap<number, string>,
): ScanTemplate | undefined {
  const [before, after] = [simpleScan(a.bound), simpleScan(b.bound)];
  if (before === undefined || after === undefined || before.name !== after.name) return undefined;
  if (shape(before.scan) !== shape(after.scan)) return undefined;
  const [left, right] = [values(before.scan), values(after.scan)];
  const { columns } = b.bound.tables.get(after.name)!.table;
  const places = new Map<number, number>();
  for (const [i, { column, text }] of right.entries()) {
    if (left[i]!.text === text) continue;
    const type = columns.find(({ name }) => name === column)?.type ?? '';
    const numbers = [...compared.keys()].filter(
      (n) =>
        literalValue(a.literals[n]!, type) === left[i]!.text && literalValue(b.literals[n]!, type) === text,
    );
    const [number] = numbers;
    if (number === undefined || numbers.length > 1 || compared.get(number) !== column.toLowerCase())
      return undefined;
    places.set(i, number);
  }
  const isPlacedOnce = places.size === compared.size && new Set(places.values()).size === compared.size;
  return isPlacedOnce ? { ...after, places } : undefined;
}

/** The scans for other literals. */
export function filledScans(
  { name, scan, places }: ScanTemplate,
  literals: readonly string[],
  { tables }: Pick<BoundQuery, 'tables'>,
): ReadonlyMap<string, TableScan> | undefined {
  const { columns } = tables.get(name)!.table;
  const texts = values(scan).map(({ column, text }, i) => {
    const n = places.get(i);
    const type = columns.find((each) => each.name === column)?.type ?? '';
    return n === undefined ? text : literalValue(literals[n]!, type);
  });
  if (!texts.every((text) => text !== undefined)) return undefined;
  let next = 0;
  const filters = scan.filters.map((conjuncts) => mapped(conjuncts, () => texts[next++]!));
  return new Map([[name, { ...scan, filters }]]);
}

interface ConditionValue {
  readonly column: string;
  readonly text: string;
}

/** The values in the conditions of a scan, in order. */
function values({ filters }: TableScan): ConditionValue[] {
  const found: ConditionValue[] = [];
  for (const conjuncts of filters)
    mapped(conjuncts, (value) => {
      found.push(value);
      return value.text;
    });
  return found;
}

/** A text that is equal for scans that differ in values only. */
const shape = (scan: TableScan): string =>
  JSON.stringify({ ...scan, filters: scan.filters.map((conjuncts) => mapped(conjuncts, () => '')) });

function mapped(conjuncts: readonly Conjunct[], to: (value: ConditionValue) => string): readonly Conjunct[] {
  return conjuncts.map((conjunct) => withMapped(conjunct, to));
}

function withMapped(conjunct: Conjunct, to: (value: ConditionValue) => string): Conjunct {
  const { kind } = conjunct;
  if (kind === 'null') return conjunct;
  if (kind === 'or') return { ...conjunct, branches: conjunct.branches.map((branch) => mapped(branch, to)) };
  const { column } = conjunct;
  return kind === 'in'
    ? { ...conjunct, values: conjunct.values.map((text) => to({ column, text })) }
    : { ...conjunct, value: to({ column, text: conjunct.value }) };
}
