import type { Expression, QueryNode, TypeNode } from '../tree.ts';
import { bareNameOf } from './bare-name.ts';

/**
 * `SELECT 1, f(x), a::int` → `SELECT 1 AS "?column?", f(x) AS f, a::int AS a`: applies PostgreSQL's names to
 * unnamed columns, for which the kernel would use the text of the expression.
 * @param nameOf the name of an item that an earlier rewrite may have replaced
 */
export function nameColumns(node: QueryNode, nameOf: (item: Expression) => string): QueryNode {
  if (node.type !== 'SELECT_NODE' || node.from_table.type === 'SHOW_REF') return node;
  return {
    ...node,
    select_list: node.select_list.map((item) =>
      item.alias !== '' || keepsOwnName(item) ? item : { ...item, alias: nameOf(item) },
    ),
  };
}

const REPEATED = '\u0001';

/** The name of a column of a subquery that another one has before it. The kernel would call it `name_1` wherever the subquery is read. */
export const repeatedName = (name: string, nth: number): string =>
  nth === 0 ? name : `${name}${REPEATED}${nth}`;

/** The name of a result column, without what `repeatedName` has added. */
export const shownName = (name: string): string => name.split(REPEATED)[0]!;

function keepsOwnName(item: Expression): boolean {
  if (item.class === 'COLUMN_REF') return bareNameOf(item) === undefined;
  if (item.class === 'STAR' || item.class === 'POSITIONAL_REFERENCE') return true;
  return containsStar(item);
}

/**
 * `COLUMNS(…) + 1` and `unnest(…, recursive := true)` expand to several columns, which must not all get the
 * same name.
 */
function containsStar(item: unknown): boolean {
  if (item === null || typeof item !== 'object') return false;
  const node = item as { class?: unknown; cte_map?: unknown };
  if (node.cte_map !== undefined) return false;
  if (node.class === 'STAR') return (item as { columns?: boolean }).columns === true;
  return Object.values(item).some(containsStar);
}

/** PostgreSQL's `FigureColname`: the strongest name among the parts of an expression wins. */
export function postgresName(item: Expression): string {
  return figure(item)?.name ?? '?column?';
}

interface Figured {
  readonly name: string;
  /** 1 is the name of a type, which any better name below the cast replaces; 2 is a proper name. */
  readonly strength: 1 | 2;
}

function figure(item: Expression): Figured | undefined {
  switch (item.class) {
    case 'COLUMN_REF':
      return strong(item.column_names.at(-1));
    case 'FUNCTION':
      return figureCall(item);
    case 'WINDOW':
      return strong(item.function_name);
    case 'CAST': {
      if (isBooleanLiteral(item)) return undefined;
      const inner = figure(item.child);
      if (inner?.strength === 2) return inner;
      return { name: typeNameOf(item.cast_type), strength: 1 };
    }
    case 'COLLATE':
      return figure(item.child);
    case 'CASE': {
      const inner = figure(item.else_expr);
      return inner?.strength === 2 ? inner : { name: 'case', strength: 1 };
    }
    case 'SUBQUERY':
      return figureSubquery(item);
    case 'OPERATOR':
      return figureOperator(item);
    default:
      return undefined;
  }
}

/** Recognises the parser's form of `true`, `'t'::BOOLEAN`. */
const isBooleanLiteral = ({ child, cast_type }: Extract<Expression, { class: 'CAST' }>): boolean =>
  cast_type.id === 'BOOLEAN' && child.class === 'CONSTANT' && /^[tf]$/.test(String(child.value.value));

const strong = (name: string | undefined): Figured | undefined =>
  name === undefined ? undefined : { name, strength: 2 };

/** The names of syntax that the parser turns into calls. */
const CALL_NAMES: Readonly<Record<string, string>> = {
  count_star: 'count',
  list_value: 'array',
  main_row: 'row',
  struct_pack: 'row',
  quantile_cont: 'percentile_cont',
  quantile_disc: 'percentile_disc',
  trim: 'btrim',
};

function figureCall(item: Extract<Expression, { class: 'FUNCTION' }>): Figured | undefined {
  if (item.is_operator || /^[^a-z_]/i.test(item.function_name)) return undefined;
  if (/^(?:regexp_full_match|tsr_(?:any|all)_true|(?:not_)?i?like_escape)$/.test(item.function_name))
    return undefined;
  return strong(CALL_NAMES[item.function_name] ?? item.function_name);
}

function figureSubquery(item: Extract<Expression, { class: 'SUBQUERY' }>): Figured | undefined {
  if (item.subquery_type === 'EXISTS' || item.subquery_type === 'NOT_EXISTS') return strong('exists');
  if (isArraySubquery(item)) return strong('array');
  if (item.subquery_type !== 'SCALAR' || item.subquery.node.type !== 'SELECT_NODE') return undefined;
  const [column] = item.subquery.node.select_list;
  if (column === undefined) return undefined;
  return column.alias === '' ? figure(column) : strong(column.alias);
}

/** Recognises `ARRAY(SELECT …)`, which the parser writes as an aggregating subquery. */
function isArraySubquery({ subquery: { node } }: Extract<Expression, { class: 'SUBQUERY' }>): boolean {
  if (node.type !== 'SELECT_NODE') return false;
  const [item] = node.select_list;
  if (item?.class !== 'CASE' || item.else_expr.class !== 'FUNCTION') return false;
  const [aggregated] = item.else_expr.children;
  const isSugar = aggregated?.class === 'POSITIONAL_REFERENCE' || aggregated?.class === 'STAR';
  return isSugar && item.else_expr.function_name === 'array_agg';
}

function figureOperator(item: Extract<Expression, { class: 'OPERATOR' }>): Figured | undefined {
  switch (item.type) {
    case 'OPERATOR_COALESCE':
      return strong('coalesce');
    case 'OPERATOR_NULLIF':
      return strong('nullif');
    case 'ARRAY_CONSTRUCTOR':
      return strong('array');
    case 'GROUPING_FUNCTION':
      return strong('grouping');
    case 'OPERATOR_TRY':
      return strong('try');
    case 'ARRAY_EXTRACT':
    case 'ARRAY_SLICE':
      return item.children[0] && figure(item.children[0]);
    case 'STRUCT_EXTRACT': {
      const [, field] = item.children;
      return field?.class === 'CONSTANT' ? strong(String(field.value.value)) : undefined;
    }
    default:
      return undefined;
  }
}

const TYPE_NAMES: Readonly<Record<string, string>> = {
  INTEGER: 'int4',
  SMALLINT: 'int2',
  BIGINT: 'int8',
  UINTEGER: 'oid',
  DOUBLE: 'float8',
  FLOAT: 'float4',
  VARCHAR: 'text',
  BOOLEAN: 'bool',
  DECIMAL: 'numeric',
  BLOB: 'bytea',
  LIST: 'array',
  TIMESTAMP_MS: 'timestamp',
  TIMESTAMP_S: 'timestamp',
  'TIMESTAMP WITH TIME ZONE': 'timestamptz',
};

/** Types that the kernel's parser takes for those of a user, by their names there. */
const UNBOUND_NAMES: Readonly<Record<string, string>> = {
  tsr_timestamp: 'timestamp',
  tsr_varchar: 'varchar',
  tsr_char: 'bpchar',
};

function typeNameOf({ id, type_info }: TypeNode): string {
  if (type_info?.type === 'LIST_TYPE_INFO') return typeNameOf(type_info.child_type);
  const name = type_info?.type === 'UNBOUND_TYPE_INFO' ? type_info.name : id;
  return TYPE_NAMES[name] ?? UNBOUND_NAMES[name] ?? name.toLowerCase();
}
