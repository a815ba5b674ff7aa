import { quoteIdentifier } from '../text/names.ts';
import {
  type BaseTableRef,
  cast,
  constant,
  type Expression,
  isQueryNode,
  isTableRef,
  type QueryNode,
  type Statement,
  type TableRef,
  visitChildren,
} from '../tree.ts';
import { lookedUp } from './lookup.ts';

/**
 * The system columns: `tableoid` is the OID of the relation that a row comes from, and `xmin` the transaction that wrote
 * it. Clients ask the catalog for rows with an `xmin` that is newer than one they remember.
 */
const SYSTEM_COLUMNS: Readonly<Record<string, (table: BaseTableRef) => Expression | undefined>> = {
  tableoid: ({ schema_name, table_name }) => {
    const path = [schema_name, table_name].filter((part) => part !== '');
    return lookedUp('relation_oid', constant(path.map(quoteIdentifier).join('.')));
  },
  // Only the catalog's relations have it: a table of a user may have a column of that name.
  xmin: (table) => (isCatalogTable(table) ? CURRENT_TRANSACTION : undefined),
};

/** `txid_current()`, and the `xmin` of every row: nothing is older than what a client remembers. */
export const CURRENT_TRANSACTION: Expression = cast(constant(1n), 'BIGINT');

/** The catalog's columns that hold transactions. */
const TRANSACTION_COLUMNS = new Set([
  ...['xmin', 'transactionid', 'backend_xid', 'backend_xmin', 'catalog_xmin'],
  ...['datfrozenxid', 'datminmxid', 'relfrozenxid', 'relminmxid'],
]);

/** Whether the argument of `age` is a transaction and not a time: a column that holds some, or a cast to `xid`. */
export const isTransaction = (node: Expression): boolean =>
  (node.class === 'COLUMN_REF' && TRANSACTION_COLUMNS.has(node.column_names.at(-1)!)) ||
  (node.class === 'CAST' &&
    (node.cast_type.id === 'BIGINT' ||
      (node.cast_type.type_info?.type === 'UNBOUND_TYPE_INFO' && node.cast_type.type_info.name === 'xid')));

const isCatalogTable = ({ catalog_name, schema_name, table_name }: BaseTableRef): boolean =>
  catalog_name === '' && (schema_name === '' ? table_name.startsWith('pg_') : schema_name === 'pg_catalog');

/** Whether a node may be a system column. */
export const isSystemColumn = (node: unknown): node is Extract<Expression, { class: 'COLUMN_REF' }> => {
  const { class: kind, column_names: names } = node as { class?: unknown; column_names?: readonly string[] };
  return (
    kind === 'COLUMN_REF' &&
    names !== undefined &&
    names.length <= 2 &&
    Object.hasOwn(SYSTEM_COLUMNS, names.at(-1)!)
  );
};

/** Gives system columns their names as aliases before other expressions replace them. */
export function nameSystemColumns(node: QueryNode): QueryNode {
  if (node.type !== 'SELECT_NODE' || !node.select_list.some(isSystemColumn)) return node;
  const named = (item: Expression) =>
    isSystemColumn(item) && item.alias === '' ? { ...item, alias: item.column_names.at(-1)! } : item;
  return { ...node, select_list: node.select_list.map(named) };
}

/**
 * Replaces a system column by its value, which is the same for all rows of a relation. References that name no relation
 * are left for the kernel to refuse.
 */
export function systemColumns(statement: Statement): (node: Expression) => Expression {
  const tables = new Map<unknown, BaseTableRef>();
  collect(statement, [], tables);
  return (node) => {
    const table = tables.get(node);
    if (table === undefined || !isSystemColumn(node)) return node;
    return SYSTEM_COLUMNS[node.column_names.at(-1)!]!(table) ?? node;
  };
}

/** @param scopes the relations of the enclosing SELECTs, innermost first */
function collect(
  value: unknown,
  scopes: readonly (readonly BaseTableRef[])[],
  tables: Map<unknown, BaseTableRef>,
): void {
  if (value === null || typeof value !== 'object') return;
  if (isSystemColumn(value)) {
    const table = scopes
      .map((scope) => named(value.column_names, scope))
      .find((found) => found !== undefined);
    if (table !== undefined) tables.set(value, table);
    return;
  }
  const isSelect = isQueryNode(value) && value.type === 'SELECT_NODE';
  const inner = isSelect ? [leavesOf(value.from_table), ...scopes] : scopes;
  visitChildren(value, (child) => collect(child, inner, tables));
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
