import { RELATION_FUNCTION } from '@tessera/kernel';
import { managedTable } from '../managed-table.ts';
import { isGet, type PlanOperator } from '../plan-nodes.ts';
import { parsePlan } from '../serialized-plan.ts';
import type { PlanOutline } from './plan-outline.ts';

interface KernelPlan {
  readonly name?: string;
  readonly extra_info?: Readonly<Record<string, unknown>>;
  readonly children?: readonly KernelPlan[];
}

/**
 * The outline of the kernel's `EXPLAIN (FORMAT json)` output for a statement over relations of the mirror.
 * @param serialized the plan of the same statement, which contains the names of the relations
 * @param rename translates texts that contain internal table names
 */
export function physicalOutline(
  json: string,
  serialized: string,
  rename: (text: string) => string,
): PlanOutline {
  const parsed = JSON.parse(json) as KernelPlan | readonly KernelPlan[];
  const plan = (Array.isArray(parsed) ? parsed[0] : parsed) ?? {};
  const count = operators(plan).filter(isRelation).length;
  const tables = count === 0 ? [] : scannedTables(parsePlan(serialized));
  // If the kernel has other scans than the plan, they cannot be matched.
  const names = (tables.length === count ? tables : []).values();
  return outline(plan, { rename, names });
}

interface Naming {
  readonly rename: (text: string) => string;
  /** The names of the scanned tables, in the order of their scans. */
  readonly names: Iterator<string, undefined>;
}

function outline({ name = '', extra_info = {}, children = [] }: KernelPlan, naming: Naming): PlanOutline {
  const { rename, names } = naming;
  const details: Record<string, string> = {};
  const isTable = isRelation({ name });
  const table = isTable ? names.next().value : undefined;
  if (table !== undefined) details.Table = rename(table);
  for (const [key, value] of Object.entries(extra_info)) {
    if (isTable && key === 'Function') continue;
    const text = (Array.isArray(value) ? value.map(String) : [String(value)])
      .filter((t) => t !== '')
      .join(', ');
    if (text !== '') details[key] = rename(text);
  }
  const operator = isTable ? 'SEQ_SCAN' : rename(name.trim());
  return { operator, details, inputs: children.map((child) => outline(child, naming)) };
}

const isRelation = ({ name = '' }: KernelPlan): boolean => name.trim().toLowerCase() === RELATION_FUNCTION;

const operators = (plan: KernelPlan): readonly KernelPlan[] => [
  plan,
  ...(plan.children ?? []).flatMap(operators),
];

const scannedTables = (node: PlanOperator): readonly string[] => [
  ...(isGet(node) ? [managedTable(node)].filter((name) => name !== undefined) : []),
  ...(node.children ?? []).flatMap(scannedTables),
];
