import { NO_LOCATION } from './tree-json.ts';
import type {
  CaseNode,
  CastNode,
  ColumnRefNode,
  ComparisonNode,
  ConstantNode,
  Expression,
  FunctionNode,
  LambdaNode,
  OperatorNode,
  OrderModifier,
  QueryNode,
  SelectNode,
  SetOperationNode,
  StarNode,
  TableRef,
  TypeNode,
} from './tree-nodes.ts';

const NO_ORDER: OrderModifier = { type: 'ORDER_MODIFIER', orders: [] };

/**
 * A function call. The schema `main`, which the parser writes for calls that it generates from syntax, is
 * left empty here.
 */
export function call(name: string, ...args: readonly Expression[]): FunctionNode {
  return {
    class: 'FUNCTION',
    type: 'FUNCTION',
    alias: '',
    query_location: NO_LOCATION,
    function_name: name,
    schema: '',
    children: args,
    filter: null,
    order_bys: NO_ORDER,
    distinct: false,
    is_operator: false,
    export_state: false,
    catalog: '',
  };
}

/** `CAST(child AS type)`; `to` is a type node or the kernel's id of a type without parameters (`VARCHAR`, `BIGINT`). */
export function cast(child: Expression, to: TypeNode | string, tryCast = false): CastNode {
  return {
    class: 'CAST',
    type: 'OPERATOR_CAST',
    alias: '',
    query_location: NO_LOCATION,
    child,
    cast_type: typeof to === 'string' ? { id: to, type_info: null } : to,
    try_cast: tryCast,
  };
}

/**
 * A literal: strings are VARCHAR; numbers are INTEGER if they are 32-bit integers, otherwise DOUBLE; bigint
 * is BIGINT; booleans are written as the parser does.
 */
export function constant(value: null | string | number | bigint | boolean): Expression {
  if (typeof value === 'boolean') return cast(constant(value ? 't' : 'f'), 'BOOLEAN');
  const node = (id: string): ConstantNode => ({
    class: 'CONSTANT',
    type: 'VALUE_CONSTANT',
    alias: '',
    query_location: NO_LOCATION,
    value: { type: { id, type_info: null }, is_null: value === null, ...(value === null ? {} : { value }) },
  });
  if (value === null) return node('NULL');
  if (typeof value === 'string') return node('VARCHAR');
  if (typeof value === 'bigint') return node('BIGINT');
  return node(value === (value | 0) && !Object.is(value, -0) ? 'INTEGER' : 'DOUBLE');
}

/** A reference to a column, qualified from left to right: `column('t', 'a')` is `t.a`. */
export function column(...names: readonly string[]): ColumnRefNode {
  return {
    class: 'COLUMN_REF',
    type: 'COLUMN_REF',
    alias: '',
    query_location: NO_LOCATION,
    column_names: names,
  };
}

/** An OPERATOR node, such as `OPERATOR_IS_NULL`, `OPERATOR_NOT`, `OPERATOR_COALESCE` or `ARRAY_EXTRACT`. */
export function operator(type: string, ...args: readonly Expression[]): OperatorNode {
  return { class: 'OPERATOR', type, alias: '', query_location: NO_LOCATION, children: args };
}

/** A comparison, such as `COMPARE_EQUAL` or `COMPARE_DISTINCT_FROM`. */
export const comparison = (type: string, left: Expression, right: Expression): ComparisonNode => ({
  class: 'COMPARISON',
  type,
  alias: '',
  query_location: NO_LOCATION,
  left,
  right,
});

/** All of the conditions; a single one is returned as it is, and without any it is true. */
export const and = (...conditions: readonly Expression[]): Expression =>
  conjunction('CONJUNCTION_AND', conditions);

/** At least one of the conditions; a single one is returned as it is, and without any it is false. */
export const or = (...conditions: readonly Expression[]): Expression =>
  conjunction('CONJUNCTION_OR', conditions);

function conjunction(
  type: 'CONJUNCTION_AND' | 'CONJUNCTION_OR',
  children: readonly Expression[],
): Expression {
  const [first, ...others] = children;
  if (first === undefined) return constant(type === 'CONJUNCTION_AND');
  if (others.length === 0) return first;
  return { class: 'CONJUNCTION', type, alias: '', query_location: NO_LOCATION, children };
}

/** `CASE WHEN when THEN then … ELSE otherwise END`. */
export const caseOf = (
  cases: readonly (readonly [when: Expression, then: Expression])[],
  otherwise: Expression,
): CaseNode => ({
  class: 'CASE',
  type: 'CASE_EXPR',
  alias: '',
  query_location: NO_LOCATION,
  case_checks: cases.map(([when_expr, then_expr]) => ({ when_expr, then_expr })),
  else_expr: otherwise,
});

/** A lambda `(a, b) -> body`. */
export function lambda(parameters: readonly string[], body: Expression): LambdaNode {
  const names = parameters.map((name) => column(name));
  return {
    class: 'LAMBDA',
    type: 'LAMBDA',
    alias: '',
    query_location: NO_LOCATION,
    lhs: names.length === 1 && names[0] ? names[0] : call('row', ...names),
    expr: body,
  };
}

/** The text of a string literal (also under a cast to text), undefined for anything else. */
export function stringLiteral(node: Expression): string | undefined {
  if (node.class === 'CAST' && node.cast_type.id === 'VARCHAR') return stringLiteral(node.child);
  if (node.class !== 'CONSTANT' || node.value.is_null) return undefined;
  return typeof node.value.value === 'string' ? node.value.value : undefined;
}

/** `SELECT * FROM ref`. */
export function selectAll(ref: TableRef): SelectNode {
  const star: StarNode = {
    class: 'STAR',
    type: 'STAR',
    alias: '',
    query_location: NO_LOCATION,
    relation_name: '',
    exclude_list: [],
    replace_list: [],
    columns: false,
    expr: null,
    qualified_exclude_list: [],
    rename_list: [],
  };
  return {
    type: 'SELECT_NODE',
    modifiers: [],
    cte_map: { map: [] },
    select_list: [star],
    from_table: ref,
    where_clause: null,
    group_expressions: [],
    group_sets: [],
    aggregate_handling: 'STANDARD_HANDLING',
    having: null,
    sample: null,
    qualify: null,
  };
}

export const unionAll = (left: QueryNode, right: QueryNode): SetOperationNode => ({
  type: 'SET_OPERATION_NODE',
  modifiers: [],
  cte_map: { map: [] },
  setop_type: 'UNION',
  setop_all: true,
  left,
  right,
});

/** The type with `T[]` in place of each `T[3]`, at any depth: the sizes of arrays have no effect, as in PostgreSQL. */
export function withoutArraySizes(type: TypeNode): TypeNode {
  const info = type.type_info;
  switch (info?.type) {
    case 'ARRAY_TYPE_INFO':
    case 'LIST_TYPE_INFO': {
      const child_type = withoutArraySizes(info.child_type);
      if (info.type === 'LIST_TYPE_INFO' && child_type === info.child_type) return type;
      return {
        id: 'LIST',
        type_info: { type: 'LIST_TYPE_INFO', alias: '', extension_info: null, child_type },
      };
    }
    case 'STRUCT_TYPE_INFO': {
      const fields = info.child_types;
      const child_types = fields.map((f) => ({ ...f, second: withoutArraySizes(f.second) }));
      const isSame = child_types.every((f, i) => f.second === fields[i]!.second);
      return isSame ? type : { ...type, type_info: { ...info, child_types } };
    }
    default:
      return type;
  }
}
