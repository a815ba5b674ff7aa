import { kernelCall, operatorCall } from '../functions/expressions.ts';
import { isTableFunction } from '../guard/functions.ts';
import { isReadFunction } from '../reads/read-arguments.ts';
import {
  call,
  constant,
  type Expression,
  NO_LOCATION,
  type Statement,
  selectAll,
  type TableFunctionRef,
  type TableRef,
  transformTree,
} from '../tree.ts';

/**
 * Turns functions in FROM that the kernel only supports in select lists into subqueries, with PostgreSQL's
 * column names:
 *     FROM version() AS v             becomes   FROM (SELECT version() AS v) AS v
 *     FROM unnest(a, b) AS u(x, y)    becomes   FROM (SELECT unnest(a), unnest(b)) AS u(x, y)
 */
export const functionsInFrom = (statement: Statement): Statement =>
  transformTree(statement, {
    tableRef: (node) => (node.type === 'TABLE_FUNCTION' ? (asSubquery(node) ?? node) : node),
  });

function asSubquery(node: TableFunctionRef): TableRef | undefined {
  const { function: called, alias, sample, query_location, column_name_alias, with_ordinality } = node;
  const name = called.function_name;
  const items = itemsOf(node);
  if (items === undefined) return undefined;
  const numbered = with_ordinality === 'WITH_ORDINALITY' ? [...items, ordinality(node)] : items;
  const subquery = { node: { ...selectAll(NO_TABLE), select_list: numbered }, named_param_map: [] };
  return { type: 'SUBQUERY', alias: alias || name, sample, query_location, subquery, column_name_alias };
}

/** The columns of the subquery; undefined for functions that the kernel supports in FROM. */
function itemsOf({ function: called, alias }: TableFunctionRef): readonly Expression[] | undefined {
  if (isZip(called)) return called.children.map((list) => ({ ...call('unnest', list), alias: 'unnest' }));
  if (isReadFunction(called.function_name.toLowerCase()) || isTableFunction(called)) return undefined;
  return [{ ...called, alias: alias || called.function_name }];
}

/**
 * Whether several arrays are unnested in parallel. Shorter arrays are padded with NULLs, as in a select list.
 */
const isZip = ({ function_name, children }: TableFunctionRef['function']): boolean =>
  function_name === 'unnest' && children.length > 1 && children.every(({ alias }) => alias === '');

/** The number of each row, counted from 1. */
function ordinality({ function: called }: TableFunctionRef): Expression {
  const rows = isZip(called)
    ? kernelCall('greatest', ...called.children.map((list) => call('len', list)))
    : constant(1);
  const numbers = kernelCall('range', constant(1), operatorCall('+', rows, constant(1)));
  return { ...call('unnest', numbers), alias: 'ordinality' };
}

const NO_TABLE: TableRef = { type: 'EMPTY', alias: '', sample: null, query_location: NO_LOCATION };
