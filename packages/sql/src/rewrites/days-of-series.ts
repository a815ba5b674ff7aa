import {
  cast,
  type Expression,
  isQueryNode,
  type QueryNode,
  type TableRef,
  transformTree,
  walkTree,
} from '../tree.ts';

/**
 * `SELECT date '2024-01-01' + g FROM generate_series(0, 6) AS g` → `SELECT date '2024-01-01' + g::integer …`. A series of
 * integers is of BIGINT here, and a date and a bigint cannot be added, neither in PostgreSQL nor in the kernel.
 */
export function daysOfSeries(node: QueryNode): QueryNode {
  if (node.type !== 'SELECT_NODE') return node;
  const columns = seriesColumns(node.from_table);
  if (columns.length === 0) return node;
  const isSeries = (item: Expression): boolean =>
    item.class === 'COLUMN_REF' &&
    columns.some(({ table, column }) => {
      const [name, owner] = item.column_names.toReversed();
      return name === column && (owner === undefined || owner === table);
    });
  const { from_table, ...rest } = node;
  const rewritten = transformTree(rest, { expression: (item) => withDays(item, isSeries) });
  return { ...node, ...rewritten, from_table };
}

function withDays(node: Expression, isSeries: (item: Expression) => boolean): Expression {
  if (node.class !== 'FUNCTION' || (node.function_name !== '+' && node.function_name !== '-')) return node;
  const [left, right] = node.children;
  if (left === undefined || right === undefined) return node;
  if (isDate(left) && isSeries(right)) return { ...node, children: [left, days(right)] };
  return isSeries(left) && isDate(right) ? { ...node, children: [days(left), right] } : node;
}

const days = (node: Expression): Expression => ({
  ...cast(node, 'INTEGER'),
  query_location: node.query_location,
});

const isDate = (node: Expression): boolean =>
  node.class === 'CAST'
    ? node.cast_type.id === 'DATE'
    : node.class === 'COLUMN_REF' && node.column_names.join('.').toLowerCase() === 'current_date';

/** The columns of the series in FROM, by the names that they go by. */
function seriesColumns(from: TableRef): readonly { readonly table: string; readonly column: string }[] {
  const found: { table: string; column: string }[] = [];
  walkTree(from, (node) => {
    if ('class' in node || isQueryNode(node) || node.type !== 'TABLE_FUNCTION') return;
    if (node.function.function_name !== 'generate_series') return;
    const table = node.alias === '' ? 'generate_series' : node.alias;
    found.push({ table, column: node.column_name_alias[0] ?? table });
  });
  return found;
}
