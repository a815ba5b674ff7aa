import { fail, type SqlLocation } from '@tessera/common';
import { type BindingSession, type KernelType, quoteName, typeToSql } from '@tessera/kernel';
import { internalCall } from '../functions/expressions.ts';
import { deparse, parseQuery } from '../parse/parse.ts';
import { Placement } from '../relations/placement.ts';
import type { PrepareContext } from '../relations/prepare-context.ts';
import { MANAGED_SCHEMA } from '../relations/relation-resolver.ts';
import {
  type BaseTableRef,
  call,
  cast,
  constant,
  type Expression,
  type FunctionNode,
  isExpression,
  NO_LOCATION,
  type SelectNode,
  type Statement,
  selectAll,
  walkTree,
} from '../tree.ts';
import { kernelFunctions, normalText } from './index-expressions.ts';
import { rewriteQuery } from './rewrite-query.ts';

/** A key of an aggregating index: its partial rows have one row per combination of keys. */
interface IndexKey {
  /** The column of the partial rows that holds it. */
  readonly column: string;
  /** In terms of the kernel, over the names of the table's columns. */
  readonly expression: Expression;
  readonly type: string;
}

/** An aggregate of a group of rows of one tablet, from which that of several tablets is made. */
export interface IndexState {
  readonly column: string;
  /** The aggregate, as queries contain it. */
  readonly call: FunctionNode;
  /** The type of the column, as SQL of the kernel. */
  readonly type: string;
  /** The kernel's type of `call`. */
  readonly resultType: string;
  /** The kernel's type of its argument, if it has one. */
  readonly argument: KernelType | undefined;
}

/** What an aggregating index stores for a group of rows. The first state is the number of rows. */
export interface IndexShape {
  readonly keys: readonly IndexKey[];
  readonly states: readonly IndexState[];
  /** The names of the table's columns that they read. */
  readonly columns: readonly string[];
}

export interface IndexedTable {
  readonly columns: readonly {
    readonly name: string;
    readonly type: string;
    /** `Column.declared`. */
    readonly declared?: string | undefined;
  }[];
}

type Context = Omit<PrepareContext, 'relations' | 'resolveRead'>;

/** Aggregates of several parts that are the same aggregate of the parts. */
export const SELF_MERGING: ReadonlySet<string> = new Set([
  'min',
  'max',
  'bool_and',
  'bool_or',
  'bit_and',
  'bit_or',
  'bit_xor',
]);

const HLL_PRECISION = 12;

/**
 * What an index with the expressions stores. An expression with aggregates stores their states, any other one is a key, and so
 * is `x` of `count(DISTINCT x)`. `expressions` stand in `text`, the statement that defines the index.
 * @throws TesseraError if an expression does not bind; NOT_SUPPORTED for aggregates that are not made of those of parts
 */
export async function indexShape(
  expressions: readonly { readonly sql: string; readonly offset: number }[],
  text: string,
  table: IndexedTable,
  context: Context,
): Promise<IndexShape> {
  const { session } = context;
  const { aggregates, unstable } = await kernelFunctions(session);
  const keys: Expression[] = [];
  const calls: FunctionNode[] = [call('count_star')];
  for (const expression of expressions) {
    const { item, location } = await kernelItem(expression, text, table, context);
    refuseUnstable(item, table, unstable, location);
    const found = aggregatesIn(item, aggregates);
    if (found.length === 0) keys.push(item);
    for (const one of found) {
      const parts = partsOf(one, location);
      keys.push(...parts.keys);
      calls.push(...parts.calls);
    }
  }
  return typed(session, distinct(keys), distinct(calls), table);
}

/** The expression in terms of the kernel. */
async function kernelItem(
  { sql, offset }: { readonly sql: string; readonly offset: number },
  text: string,
  { columns }: IndexedTable,
  context: Context,
): Promise<{ readonly item: Expression; readonly location: SqlLocation | undefined }> {
  // The expression may end with a line comment, so a line break must follow it.
  const head = 'SELECT ';
  const parsed = await parseQuery(context.session, text, {
    sql: `${head}${sql}\n`,
    offset: offset - head.length,
  });
  const location = parsed.locate(head.length);
  const refuse = (what: string) =>
    fail('NOT_SUPPORTED', { what: `${what} in an aggregating index` }, { location });
  walkTree(parsed.statement, (node) => {
    if (!('class' in node)) return;
    if (node.class === 'SUBQUERY') refuse('A subquery');
    if (node.class === 'PARAMETER') refuse('A parameter');
    if (node.class === 'WINDOW') refuse('A window function');
    if (node.class === 'STAR') refuse('A star');
    const isBare = node.class === 'COLUMN_REF' && node.column_names.length === 1;
    const name = isBare ? node.column_names[0]! : node.class === 'FUNCTION' ? node.function_name : '';
    if (OF_SESSION.test(name.toLowerCase())) refuse(`The function ${name}`);
  });
  const statement = await rewriteQuery(
    parsed,
    { ...context, resolveRead: () => refuse('A file') },
    {
      placement: new Placement(),
      database: context.sessionValues.database,
      parameter: (node) => node,
      columns,
    },
  );
  const { node } = statement;
  const [item, ...more] = node.type === 'SELECT_NODE' ? node.select_list : [];
  if (item === undefined || more.length > 0) return refuse('More than one expression between two commas');
  return { item: { ...item, alias: '' }, location };
}

/** Functions of the session, which the dialect replaces by their values. */
const OF_SESSION =
  /^(current_user|session_user|user|current_role|current_database|current_catalog|current_schema|current_account|current_engine|current_date|current_time|current_timestamp|localtime|localtimestamp)$/;

/**
 * Refuses what has other values when a query reads it than when rows were written: functions of time, chance and the session, and
 * expressions of TIMESTAMPTZ, whose values depend on the time zone of the session.
 */
function refuseUnstable(
  item: Expression,
  { columns }: IndexedTable,
  unstable: ReadonlySet<string>,
  location: SqlLocation | undefined,
): void {
  const refuse = (what: string, hint: string) =>
    fail('NOT_SUPPORTED', { what: `${what} in an aggregating index`, hint }, { location });
  const isZoned = (name: string) =>
    columns.some(
      (one) =>
        one.name.toLowerCase() === name.toLowerCase() && /\bTIMESTAMPTZ\b|WITH TIME ZONE/.test(one.type),
    );
  const check = (value: unknown, isArgument: boolean): void => {
    if (value === null || typeof value !== 'object') return;
    let isPlain = isArgument;
    if (isExpression(value)) {
      const name = value.class === 'FUNCTION' ? value.function_name.toLowerCase() : '';
      if (unstable.has(name)) refuse(`The function ${name}`, 'its values depend on more than its arguments');
      const isOfZone =
        (value.class === 'CAST' && value.cast_type.id === 'TIMESTAMP WITH TIME ZONE') ||
        (value.class === 'COLUMN_REF' && !isArgument && isZoned(value.column_names.at(-1)!));
      if (isOfZone || ZONED.has(name))
        refuse(
          'An expression of type timestamptz',
          'its values depend on the time zone of the session; use the column itself',
        );
      isPlain = value.class === 'FUNCTION' && PLAIN_ARGUMENTS.has(name);
    }
    for (const child of Object.values(value)) check(child, isPlain || (Array.isArray(value) && isArgument));
  };
  check(item, true);
}

const ZONED: ReadonlySet<string> = new Set([
  'to_timestamp',
  'make_timestamptz',
  'timezone',
  'to_timestamp_tz',
]);
/** Aggregates of which a column of any type may be the argument. */
const PLAIN_ARGUMENTS: ReadonlySet<string> = new Set(['count', 'min', 'max', 'approx_count_distinct']);

function aggregatesIn(item: Expression, names: ReadonlySet<string>): readonly FunctionNode[] {
  const found: FunctionNode[] = [];
  walkTree(item, (node) => {
    if ('class' in node && node.class === 'FUNCTION' && names.has(node.function_name.toLowerCase()))
      found.push(node);
  });
  return found;
}

/** What has to be stored so that an aggregate can be made of parts. */
function partsOf(
  one: FunctionNode,
  location: SqlLocation | undefined,
): { readonly keys: readonly Expression[]; readonly calls: readonly FunctionNode[] } {
  const name = one.function_name.toLowerCase();
  const [argument] = one.children;
  const isOrdered = one.order_bys.orders.length > 0;
  if (!isOrdered && isCountOfRows(one))
    return { keys: [], calls: [{ ...call('count_star'), filter: one.filter }] };
  if (!isOrdered && argument !== undefined && one.children.length === 1) {
    if (SELF_MERGING.has(name)) return { keys: [], calls: [{ ...one, distinct: false }] };
    if (isEntries(one)) return { keys: [], calls: [one] };
    if (name === 'approx_count_distinct') return { keys: [], calls: [entriesOf(one)] };
    if (one.distinct && one.filter === null && name === 'count') return { keys: [argument], calls: [] };
    if (!one.distinct && name === 'count') return { keys: [], calls: [one] };
    if (!one.distinct && (name === 'sum' || name === 'avg')) {
      return {
        keys: [],
        calls: [
          { ...one, function_name: 'sum' },
          { ...one, function_name: 'count' },
        ],
      };
    }
  }
  return fail(
    'NOT_SUPPORTED',
    {
      what: `The aggregate ${name}${one.distinct ? '(DISTINCT …)' : ''} in an aggregating index`,
      hint: 'the aggregates are count, count(DISTINCT …) without FILTER, sum, avg, min, max, bool_and, bool_or, bit_and, bit_or, bit_xor, hll_count_build and hll_count_distinct',
    },
    { location },
  );
}

/** `count(*)`, or `count` of a constant that is not NULL. */
export function isCountOfRows({ function_name, children, distinct: isDistinct }: FunctionNode): boolean {
  if (function_name.toLowerCase() === 'count_star') return true;
  const [argument] = children;
  if (function_name.toLowerCase() !== 'count' || isDistinct) return false;
  return argument === undefined || (argument.class === 'CONSTANT' && !argument.value.is_null);
}

/** The entries of a HyperLogLog sketch, of which the dialect's functions make their results. */
const isEntries = ({ function_name, distinct: isDistinct, children: [argument] }: FunctionNode): boolean =>
  function_name === 'list' &&
  isDistinct &&
  argument?.class === 'FUNCTION' &&
  argument.function_name === internalCall('hll_entry').function_name;

/** The state that serves `approx_count_distinct(x)`. */
export const entriesOf = (one: FunctionNode): FunctionNode => ({
  ...call('list', internalCall('hll_entry', one.children[0], constant(HLL_PRECISION))),
  distinct: true,
  filter: one.filter,
});

/** `approx_count_distinct` of the union of such entries. */
export const countOfEntries = (entries: Expression): Expression =>
  internalCall('hll_count_estimate', internalCall('hll_encode', entries, constant(HLL_PRECISION)));

function distinct<E extends Expression>(expressions: readonly E[]): readonly E[] {
  const known = new Map<string, E>();
  for (const one of expressions) {
    const text = normalText(one);
    if (!known.has(text)) known.set(text, one);
  }
  return [...known.values()];
}

/** Binds the expressions against the table's columns, without rows. */
async function typed(
  session: BindingSession,
  keys: readonly Expression[],
  calls: readonly FunctionNode[],
  { columns }: IndexedTable,
): Promise<IndexShape> {
  const arguments_ = calls.map(({ children: [first] }) =>
    first === undefined ? constant(null) : call('any_value', first),
  );
  const select = grouped(keys, [...calls, ...arguments_], sourceRef());
  const sql = await deparse(session, asStatement(select));
  const nulls = columns.map((c) => `NULL::${c.type} AS ${quoteName(c.name)}`);
  const { columns: found } = await session.describe(sql.replace(SOURCE, `(SELECT ${nulls.join(', ')})`));
  const types = found.map(({ type }) => type);
  const states = calls.map((one, i): IndexState => {
    const type = types[keys.length + i]!;
    const name = i === 0 ? 'rows' : `${one.function_name.toLowerCase()}_${i}`;
    return {
      column: name,
      call: one,
      // Parquet has no 128-bit integers; decimals of 38 digits hold every sum of integers of 64 bits.
      type: type.id === 'HUGEINT' ? 'DECIMAL(38,0)' : typeToSql(type),
      resultType: typeToSql(type),
      argument: one.children.length === 0 ? undefined : types[keys.length + calls.length + i],
    };
  });
  return {
    keys: keys.map((expression, i) => ({
      column: `k${i + 1}`,
      expression,
      type: types[i]!.id === 'HUGEINT' ? 'DECIMAL(38,0)' : typeToSql(types[i]!),
    })),
    states,
    columns: columnsIn([...keys, ...calls], columns),
  };
}

function columnsIn(expressions: readonly Expression[], columns: IndexedTable['columns']): readonly string[] {
  const used = new Set<string>();
  walkTree(expressions, (node) => {
    if ('class' in node && node.class === 'COLUMN_REF')
      for (const name of node.column_names) used.add(name.toLowerCase());
  });
  return columns.map(({ name }) => name).filter((name) => used.has(name.toLowerCase()));
}

/** The name under which a statement over the rows to summarise refers to them. */
const SOURCE_NAME = 't_source';
const SOURCE = `${MANAGED_SCHEMA}.${SOURCE_NAME}`;

const sourceRef = (): BaseTableRef => managedRef(SOURCE_NAME);

export const managedRef = (boundName: string): BaseTableRef => ({
  type: 'BASE_TABLE',
  alias: '',
  sample: null,
  query_location: NO_LOCATION,
  catalog_name: '',
  schema_name: MANAGED_SCHEMA,
  table_name: boundName,
  column_name_alias: [],
  at_clause: null,
});

const asStatement = (node: SelectNode): Statement => ({ node, named_param_map: [] });

/** `SELECT keys, items FROM ref GROUP BY keys`. */
function grouped(keys: readonly Expression[], items: readonly Expression[], ref: BaseTableRef): SelectNode {
  return {
    ...selectAll(ref),
    select_list: [...keys, ...items],
    group_expressions: keys.map((_, i) => constant(i + 1)),
    group_sets: keys.length === 0 ? [] : [keys.map((_, i) => i)],
  };
}

/** The partial rows of the rows of a relation, computed: the columns of the shape, in order. */
export const partialsOfRows = ({ keys, states }: IndexShape, boundName: string): SelectNode =>
  grouped(
    keys.map(({ expression, column }) => ({ ...expression, alias: column })),
    states.map((state) => ({ ...storedForm(state), alias: state.column })),
    managedRef(boundName),
  );

const storedForm = ({ call: one, type, resultType }: IndexState): Expression => {
  if (isEntries(one)) return internalCall('hll_registers', coalesced(one));
  return type === resultType ? one : cast(one, decimal38());
};

const coalesced = (entries: Expression): Expression => ({
  class: 'OPERATOR',
  type: 'OPERATOR_COALESCE',
  alias: '',
  query_location: NO_LOCATION,
  children: [entries, { ...operatorArray() }],
});

const operatorArray = (): Expression => call('list_value');

const decimal38 = () => ({
  id: 'DECIMAL',
  type_info: {
    type: 'DECIMAL_TYPE_INFO' as const,
    alias: '',
    extension_info: null,
    width: 38,
    scale: 0,
  },
});

/** SQL of the kernel for the partial rows of a relation, which `source` gives for FROM, with the table's columns by name. */
export async function partialsSql(
  session: BindingSession,
  shape: IndexShape,
  source: string,
): Promise<string> {
  const sql = await deparse(session, asStatement(partialsOfRows(shape, SOURCE_NAME)));
  const at = sql.lastIndexOf(SOURCE);
  return `${sql.slice(0, at)}${source} AS source${sql.slice(at + SOURCE.length)}`;
}
