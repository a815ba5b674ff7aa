import { fail, type SqlLocation } from '@tessera/common';
import { postgresName } from '../functions/column-names.ts';
import { internalCall, literalInteger } from '../functions/expressions.ts';
import { internalName } from '../functions/internal-macros.ts';
import {
  call,
  cast,
  type Expression,
  type FunctionNode,
  isQueryNode,
  mapChildren,
  type QueryNode,
  stringLiteral,
} from '../tree.ts';
import { typeNode } from '../types/type-node.ts';

/**
 * `generate_series(x::date, '2024-01-31', '1 day')` → `generate_series(x::date, '2024-01-31'::timestamp, '1 day'::interval)`:
 * literals without a type have the one that the function prefers, as in PostgreSQL. The kernel takes them for texts. And
 * `generate_series(1, 2, 0.5)` → `tsr_fraction_series(1, 2, 0.5)`.
 */
export function seriesArguments(
  node: FunctionNode,
  placeOf: (node: Expression) => SqlLocation | undefined,
): FunctionNode {
  const [from, to, step, ...more] = node.children;
  if (node.function_name !== 'generate_series') return node;
  if (from === undefined || to === undefined || more.length > 0)
    return fail(
      'UNDEFINED_FUNCTION',
      {
        message: `generate_series cannot be called with ${node.children.length} argument${node.children.length === 1 ? '' : 's'}: generate_series(from, to [, step])`,
      },
      { location: placeOf(node) },
    );
  if (isSeriesOfFractions(node)) return { ...internalCall(SERIES, ...node.children), ...placed(node) };
  const isOfTimes = step !== undefined && (stringLiteral(step) !== undefined || castTo(step) === 'INTERVAL');
  if (!isOfTimes) return node;
  const type = [from, to].some((end) => castTo(end) === INSTANT) ? INSTANT : 'TIMESTAMP';
  const children = [asType(from, type), asType(to, type), asType(step, 'INTERVAL')];
  return { ...node, children };
}

const SERIES = 'fraction_series';
const placed = ({ alias, query_location }: Expression) => ({ alias, query_location });

/** Whether `generate_series(1, 2, 0.5)` has a number with a fraction; the kernel only has series of integers and times. */
export const isSeriesOfFractions = ({ function_name, children }: FunctionNode): boolean =>
  function_name === 'generate_series' && children.some(isFraction);

function isFraction(node: Expression): boolean {
  if (node.class === 'FUNCTION')
    return node.function_name === '-' && node.children.length === 1 && isFraction(node.children[0]!);
  const type = node.class === 'CONSTANT' ? node.value.type.id : castTo(node);
  return type === 'DECIMAL' || (type === 'DOUBLE' && node.class === 'CONSTANT');
}

const INSTANT = 'TIMESTAMP WITH TIME ZONE';

const castTo = (node: Expression): string | undefined =>
  node.class === 'CAST'
    ? node.cast_type.id
    : node.class === 'FUNCTION' && node.function_name === 'now'
      ? INSTANT
      : undefined;

function asType(node: Expression, type: string): Expression {
  const isUntyped = stringLiteral(node) !== undefined;
  // A date is the beginning of its day, as the other end has a time.
  const isDate = type !== 'INTERVAL' && castTo(node) === 'DATE';
  return isUntyped || isDate ? { ...cast(node, type), query_location: node.query_location } : node;
}

/** Functions that take the list which the kernel makes of a series; PostgreSQL has none of them for numbers. */
const OF_LISTS =
  /^(?:unnest|len|length|cardinality|flatten|contains|transform|filter|reduce|(?:array|list)_.*)$/;

/**
 * `SELECT generate_series(1, 3)` → `SELECT unnest(generate_series(1, 3))`: in a select list and in
 * GROUP BY, too, a series is rows, as in PostgreSQL. The kernel makes it one list.
 */
export function seriesInSelect(node: QueryNode): QueryNode {
  if (node.type !== 'SELECT_NODE') return node;
  const select_list = node.select_list.map((item) => {
    const rows = asRows(item, false);
    return rows === item ? item : { ...rows, alias: item.alias || postgresName(item) };
  });
  const group_expressions = asRows(node.group_expressions, false);
  const isSame =
    group_expressions === node.group_expressions &&
    select_list.every((item, i) => item === node.select_list[i]);
  return isSame ? node : { ...node, select_list, group_expressions };
}

/** Subqueries are left alone: their own select lists were rewritten before. */
function asRows<T>(value: T, inList: boolean): T {
  if (value === null || typeof value !== 'object' || isQueryNode(value)) return value;
  if (Array.isArray(value)) return mapChildren(value, (item) => asRows(item, inList));
  const { class: kind, function_name: name = '' } = value as Partial<
    Extract<Expression, { class: 'FUNCTION' }>
  >;
  if (kind === 'FUNCTION' && (name === 'generate_series' || name === internalName(SERIES)))
    return inList ? value : (rowsOf(value) as T);
  const isOfLists = kind === 'FUNCTION' && OF_LISTS.test(name);
  return mapChildren(value, (child) => asRows(child, isOfLists));
}

const rowsOf = (series: unknown): Expression => {
  const { query_location, ...node } = series as Extract<Expression, { class: 'FUNCTION' }>;
  if (node.function_name !== 'generate_series')
    return { ...call('unnest', { ...node, alias: '', query_location }), query_location };
  const list = { ...node, children: withStep(node.children), alias: '', query_location };
  const isOfIntegers = node.children.every(isInteger);
  return { ...call('unnest', isOfIntegers ? cast(list, INTEGERS) : list), query_location };
};

/** The kernel refuses a step of zero only in FROM. */
const withStep = ([from, to, step]: readonly Expression[]): readonly Expression[] =>
  step === undefined || literalInteger(step)
    ? [from!, to!, ...(step === undefined ? [] : [step])]
    : [from!, to!, internalCall('pg_step', step)];

/** The kernel makes a series of INTEGER one of BIGINT, to which no date can be added. */
const INTEGERS = typeNode({ kind: 'array', element: { kind: 'int' } });

const isInteger = (node: Expression): boolean =>
  node.class === 'CONSTANT' && node.value.type.id === 'INTEGER';
