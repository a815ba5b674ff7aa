import { quoteIdentifier } from '../text/names.ts';
import {
  type BaseTableRef,
  constant,
  type Expression,
  isQueryNode,
  isTableRef,
  type QueryNode,
  type Statement,
  type TableRef,
} from '../tree.ts';
import { lookedUp } from './lookup.ts';

/** Whether a node is the system column `tableoid`, the OID of the relation that a row comes from. */
export const isTableOid = (node: unknown): node is Extract<Expression, { class: 'COLUMN_REF' }> => {
  const { class: kind, column_names: names } = node as { class?: unknown; column_names?: readonly string[] };
  return kind === 'COLUMN_REF' && names !== undefined && names.length <= 2 && names.at(-1) === 'tableoid';
};

/** Gives a column `tableoid` that name as alias before another expression replaces it. */
export function nameTableOids(node: QueryNode): QueryNode {
  if (node.type !== 'SELECT_NODE' || !node.select_list.some(isTableOid)) return node;
  const named = (item: Expression) =>
    isTableOid(item) && item.alias === '' ? { ...item, alias: 'tableoid' } : item;
  return { ...node, select_list: node.select_list.map(named) };
}

/**
 * `c.tableoid` → the OID of the relation that `c` names, which is the same for all rows of a relation.
 * References that name no relation are left for the kernel to refuse.
 */
export function tableOids(statement: Statement): (node: Expression) => Expression {
  const tables = new Map<unknown, BaseTableRef>();
  collect(statement, [], tables);
  return (node) => {
    const table = tables.get(node);
    if (table === undefined) return node;
    const path = [table.schema_name, table.table_name].filter((part) => part !== '');
    return lookedUp('relation_oid', constant(path.map(quoteIdentifier).join('.')));
  };
}

/** @param scopes the relations of the enclosing SELECTs, innermost first */
function collect(
  value: unknown,
  scopes: readonly (readonly BaseTableRef[])[],
  tables: Map<unknown, BaseTableRef>,
): void {
  if (value === null || typeof value !== 'object') return;
  if (isTableOid(value)) {
    const table = scopes
      .map((scope) => named(value.column_names, scope))
      .find((found) => found !== undefined);
    if (table !== undefined) tables.set(value, table);
    return;
  }
  const isSelect = isQueryNode(value) && value.type === 'SELECT_NODE';
  const inner = isSelect ? [leavesOf(value.from_table), ...scopes] : scopes;
  for (const child of Object.values(value)) collect(child, inner, tables);
}

function named(names: readonly string[], scope: readonly BaseTableRef[]): BaseTableRef | undefined {
  if (names.length === 1) return scope.length === 1 ? scope[0] : undefined;
  return scope.find(({ alias, table_name }) => (alias || table_name) === names[0]);
}

function leavesOf(ref: TableRef): readonly BaseTableRef[] {
  if (!isTableRef(ref)) return [];
  if (ref.type === 'JOIN') return [...leavesOf(ref.left), ...leavesOf(ref.right)];
  return ref.type === 'BASE_TABLE' ? [ref] : [];
}
