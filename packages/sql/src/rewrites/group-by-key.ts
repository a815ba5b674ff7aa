import { isSameName } from '@tessera/common';
import {
  type BaseTableRef,
  column,
  type Expression,
  isQueryNode,
  type QueryNode,
  type SelectNode,
  type TableRef,
  visitChildren,
} from '../tree.ts';

/** A table of FROM that has a primary key. */
export interface KeyedTable {
  readonly alias: string;
  readonly primaryKey: readonly string[];
  readonly columns: readonly string[];
}

/**
 * `SELECT c.name, count(*) … GROUP BY c.id` → `… GROUP BY c.id, c.name` where `id` is the primary key of the table: the key
 * determines the other columns, so PostgreSQL and its clients leave them out. The kernel does not know that. If the key, which
 * is not enforced, has duplicates, rows with different names are in different groups.
 */
export function groupByKey(node: QueryNode, keyed: (ref: BaseTableRef) => KeyedTable | undefined): QueryNode {
  if (node.type !== 'SELECT_NODE' || node.group_sets.length !== 1) return node;
  const grouped = node.group_expressions.map((item) => groupedItem(item, node));
  const added: Expression[] = [];
  for (const ref of baseTables(node.from_table)) {
    const table = keyed(ref);
    const isGrouped = (name: string) => grouped.some((item) => isColumn(item, table!, name));
    if (table?.primaryKey.every(isGrouped) !== true) continue;
    const used = columnsUsed(node, table);
    for (const name of used) if (!isGrouped(name)) added.push(column(table.alias, name));
  }
  if (added.length === 0) return node;
  const group_expressions = [...node.group_expressions, ...added];
  return { ...node, group_expressions, group_sets: [group_expressions.map((_, i) => i)] };
}

/** `GROUP BY 1` means an item of the select list. */
function groupedItem(item: Expression, { select_list }: SelectNode): Expression {
  const position = item.class === 'CONSTANT' && typeof item.value.value === 'number' ? item.value.value : 0;
  return select_list[position - 1] ?? item;
}

function baseTables(from: TableRef): readonly BaseTableRef[] {
  if (from.type === 'BASE_TABLE') return [from];
  return from.type === 'JOIN' ? [...baseTables(from.left), ...baseTables(from.right)] : [];
}

function isColumn(item: Expression, { alias, columns }: KeyedTable, name: string): boolean {
  if (item.class !== 'COLUMN_REF') return false;
  const [last, owner] = item.column_names.toReversed();
  return isSameName(last!, name) && (owner === undefined ? columns.includes(name) : isSameName(owner, alias));
}

/** The columns of the table that the query reads after its grouping. */
function columnsUsed(node: SelectNode, table: KeyedTable): ReadonlySet<string> {
  const used = new Set<string>();
  const { select_list, having, modifiers, qualify } = node;
  const find = (value: unknown, inSubquery: boolean): void => {
    if (value === null || typeof value !== 'object') return;
    const item = value as Expression;
    if (
      item.class === 'STAR' &&
      !inSubquery &&
      (item.relation_name === '' || isSameName(item.relation_name, table.alias))
    )
      for (const name of table.columns) used.add(name);
    if (item.class === 'COLUMN_REF' && (!inSubquery || item.column_names.length > 1)) {
      const name = table.columns.find((known) => isColumn(item, table, known));
      if (name !== undefined) used.add(name);
      return;
    }
    const isWithin = inSubquery || isQueryNode(value);
    visitChildren(value, (child) => find(child, isWithin));
  };
  for (const part of [select_list, having, modifiers, qualify]) find(part, false);
  return used;
}
