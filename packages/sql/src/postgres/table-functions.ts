import { kernelCall, operatorCall } from '../functions/expressions.ts';
import {
  call,
  caseOf,
  cast,
  constant,
  type Expression,
  NO_LOCATION,
  type SelectNode,
  selectAll,
  type TableFunctionRef,
  type TableRef,
} from '../tree.ts';
import { systemTable } from './lookup.ts';

/**
 * The columns of functions that return no rows here: no object has options, no table has partitions of its
 * own, and grants are read from views.
 */
const EMPTY: Readonly<Record<string, readonly (readonly [name: string, type: string])[]>> = {
  aclexplode: [
    ['grantor', 'UINTEGER'],
    ['grantee', 'UINTEGER'],
    ['privilege_type', 'VARCHAR'],
    ['is_grantable', 'BOOLEAN'],
  ],
  pg_options_to_table: [
    ['option_name', 'VARCHAR'],
    ['option_value', 'VARCHAR'],
  ],
  pg_partition_ancestors: [['relid', 'UINTEGER']],
  pg_partition_tree: [
    ['relid', 'UINTEGER'],
    ['parentrelid', 'UINTEGER'],
    ['isleaf', 'BOOLEAN'],
    ['level', 'INTEGER'],
  ],
};

/** Functions whose rows are those of a relation. */
const RELATIONS: Readonly<Record<string, string>> = {
  pg_available_extension_versions: 'pg_available_extension_versions',
  pg_available_extensions: 'pg_available_extensions',
  pg_cursor: 'pg_cursors',
  pg_get_keywords: '$keywords',
  pg_lock_status: 'pg_locks',
  pg_prepared_statement: 'pg_prepared_statements',
  pg_prepared_xact: 'pg_prepared_xacts',
  pg_show_all_settings: 'pg_settings',
  pg_timezone_abbrevs: 'pg_timezone_abbrevs',
  pg_timezone_names: 'pg_timezone_names',
};

/** Names of functions of the catalog that may only be called in FROM. */
export const CATALOG_TABLE_FUNCTIONS: ReadonlySet<string> = new Set([
  ...Object.keys(EMPTY),
  ...Object.keys(RELATIONS),
  'generate_subscripts',
]);

/**
 * Rewrites `pg_get_keywords()` and other functions of PostgreSQL in FROM; other functions lose the schema
 * `pg_catalog`.
 */
export function catalogTable(node: TableFunctionRef): TableRef {
  const { function: called, alias, column_name_alias, sample, query_location } = node;
  const name = called.function_name;
  if (called.schema !== '' && called.schema !== 'pg_catalog' && called.schema !== 'main') return node;
  if (Object.hasOwn(RELATIONS, name)) {
    return {
      ...systemTable(RELATIONS[name]!),
      alias: alias === '' ? name : alias,
      column_name_alias,
      query_location,
    };
  }
  if (Object.hasOwn(EMPTY, name)) {
    const subquery = { node: noRows(EMPTY[name]!), named_param_map: [] };
    return {
      type: 'SUBQUERY',
      alias: alias === '' ? name : alias,
      sample,
      query_location,
      subquery,
      column_name_alias,
    };
  }
  if (name === 'generate_subscripts') {
    const [list, , isReversed] = called.children as [Expression, Expression?, Expression?];
    const last = call('len', list);
    const when = (reversed: Expression, otherwise: Expression) =>
      isReversed === undefined ? otherwise : caseOf([[isReversed, reversed]], otherwise);
    const first = when(last, constant(1));
    const end = when(constant(0), operatorCall('+', last, constant(1)));
    const step = isReversed === undefined ? [] : [when(constant(-1), constant(1))];
    const range = { ...kernelCall('range', first, end, ...step), query_location: called.query_location };
    return withColumnName({ ...node, function: range });
  }
  return withColumnName(
    called.schema === 'pg_catalog' ? { ...node, function: { ...called, schema: '' } } : node,
  );
}

/** `generate_series(…) AS s`: PostgreSQL names the column `s` too. */
function withColumnName(node: TableFunctionRef): TableFunctionRef {
  const { alias, column_name_alias, with_ordinality } = node;
  const isNamed = alias !== '' && column_name_alias.length === 0 && with_ordinality === 'WITHOUT_ORDINALITY';
  return isNamed && ROWS_OF_ONE.has(node.function.function_name)
    ? { ...node, column_name_alias: [alias] }
    : node;
}

const ROWS_OF_ONE = new Set(['generate_series', 'range', 'unnest']);

const NO_TABLE: TableRef = { type: 'EMPTY', alias: '', sample: null, query_location: NO_LOCATION };

function noRows(columns: readonly (readonly [string, string])[]): SelectNode {
  const nothing = columns.map(([name, type]) => ({ ...cast(constant(null), type), alias: name }));
  return {
    ...selectAll(NO_TABLE),
    select_list: nothing,
    where_clause: constant(false),
  };
}
