import { isSameName } from '@tessera/common';
import { AGGREGATE_FUNCTIONS } from '../functions/aggregate.ts';
import { postgresName } from '../functions/column-names.ts';
import {
  column,
  type Expression,
  type FunctionNode,
  isQueryNode,
  NO_LOCATION,
  type QueryNode,
  type SelectNode,
  selectAll,
  someExpression,
  spelling,
  type TableRef,
  transformTree,
} from '../tree.ts';

/** Functions that return several rows in a select list. A series is below `unnest` here, see `seriesInSelect`. */
const ROW_FUNCTIONS =
  /^(?:unnest|generate_subscripts|regexp_split_to_table|string_to_table|jsonb?_(?:(?:each|array_elements)(?:_text)?|object_keys))$/;

const AGGREGATES: ReadonlySet<string> = new Set(AGGREGATE_FUNCTIONS.map(({ name }) => name));

const ROWS = 'tsr_rows';

/**
 * Groups by functions that return several rows, which PostgreSQL calls before it groups and the kernel refuses:
 *     SELECT unnest(tags) AS tag, count(*) FROM t GROUP BY 1
 *       →   SELECT r.x AS tag, count(*) FROM t CROSS JOIN (SELECT unnest(tags) AS x) AS r GROUP BY 1
 * Several such functions advance together, as they do in one select list. Those that are not part of a key stay where they
 * are, because they are called for each group.
 */
export function groupedRows(node: QueryNode): QueryNode {
  if (node.type !== 'SELECT_NODE') return node;
  const calls = new Map<string, FunctionNode>();
  for (const key of groupKeys(node)) for (const call of rowCalls(key)) calls.set(spelling(call), call);
  if (calls.size === 0) return node;
  const columns = new Map([...calls.keys()].map((key, i) => [key, `tsr_${i + 1}`]));
  const replaced = <T>(value: T): T =>
    transformTree(value, {
      skipsQueries: true,
      expression: (node) => {
        const name = isRowCall(node) ? columns.get(spelling(node)) : undefined;
        if (name === undefined) return node;
        const { alias, query_location } = node;
        return { ...column(ROWS, name), alias, query_location };
      },
    });
  const { select_list, group_expressions, having, qualify, modifiers, from_table } = node;
  const rows = [...calls.values()].map((call, i) => ({ ...call, alias: `tsr_${i + 1}` }));
  return {
    ...node,
    select_list: select_list.map((item) => {
      const next = replaced(item);
      return next === item ? item : { ...next, alias: item.alias || postgresName(item) };
    }),
    group_expressions: replaced(group_expressions),
    having: replaced(having),
    qualify: replaced(qualify),
    modifiers: replaced(modifiers),
    from_table: joined(from_table, rows),
  };
}

/** The keys of the groups; an item of the select list for its position or alias in GROUP BY. */
function groupKeys({
  select_list,
  group_expressions,
  aggregate_handling,
}: SelectNode): readonly Expression[] {
  // GROUP BY ALL
  if (aggregate_handling === 'FORCE_AGGREGATES') return select_list.filter((item) => !aggregates(item));
  return group_expressions.map((key) => {
    if (key.class === 'CONSTANT' && typeof key.value.value === 'number')
      return select_list[key.value.value - 1] ?? key;
    if (key.class !== 'COLUMN_REF' || key.column_names.length > 1) return key;
    const [name] = key.column_names;
    const item = select_list.find(({ alias }) => isSameName(alias, name!));
    // `SELECT unnest(tags) AS tags … GROUP BY tags` groups by the column, which comes before the alias.
    return item === undefined || names(item, name!) ? key : item;
  });
}

const aggregates = (item: Expression): boolean =>
  someExpression(
    item,
    (node) => node.class === 'FUNCTION' && AGGREGATES.has(node.function_name.toLowerCase()),
  );

const names = (item: Expression, name: string): boolean =>
  someExpression(item, (node) => node.class === 'COLUMN_REF' && isSameName(node.column_names.at(-1)!, name));

/** The outermost calls of an expression that return several rows, without those of subqueries. */
function rowCalls(value: unknown): FunctionNode[] {
  if (value === null || typeof value !== 'object' || isQueryNode(value)) return [];
  return isRowCall(value) ? [value] : Object.values(value).flatMap(rowCalls);
}

function isRowCall(value: object): value is FunctionNode {
  const { class: kind, function_name: name = '', children } = value as Partial<FunctionNode>;
  // With further arguments, `unnest` may return several columns.
  return kind === 'FUNCTION' && ROW_FUNCTIONS.test(name) && (name !== 'unnest' || children!.length === 1);
}

function joined(from: TableRef, rows: readonly Expression[]): TableRef {
  const base = { sample: null, query_location: NO_LOCATION } as const;
  const none: TableRef = { ...base, type: 'EMPTY', alias: '' };
  const subquery = { node: { ...selectAll(none), select_list: rows }, named_param_map: [] };
  const lateral: TableRef = { ...base, type: 'SUBQUERY', alias: ROWS, subquery, column_name_alias: [] };
  if (from.type === 'EMPTY') return lateral;
  return {
    ...base,
    type: 'JOIN',
    alias: '',
    left: from,
    right: lateral,
    condition: null,
    join_type: 'INNER',
    ref_type: 'CROSS',
    using_columns: [],
    delim_flipped: false,
    duplicate_eliminated_columns: [],
  };
}
