/** The nodes of the kernel's parse tree (`json_serialize_sql`), named and shaped as its JSON has them. */

/** A byte offset into the parsed UTF-8 text, or `NO_LOCATION`. */
export type QueryLocation = number;

interface HugeIntParts {
  readonly upper: number | bigint;
  readonly lower: number | bigint;
}

/** A type with the kernel's name: `id` is INTEGER, VARCHAR, DECIMAL, LIST, STRUCT, MAP, ARRAY, UNBOUND, … */
export interface TypeNode {
  readonly id: string;
  readonly type_info: TypeInfo | null;
}
type TypeInfo =
  | (TypeInfoBase<'DECIMAL_TYPE_INFO'> & { readonly width: number; readonly scale: number })
  | (TypeInfoBase<'LIST_TYPE_INFO'> & { readonly child_type: TypeNode })
  | (TypeInfoBase<'ARRAY_TYPE_INFO'> & { readonly child_type: TypeNode; readonly size: number })
  | (TypeInfoBase<'STRUCT_TYPE_INFO'> & {
      readonly child_types: readonly { readonly first: string; readonly second: TypeNode }[];
    })
  | (TypeInfoBase<'UNBOUND_TYPE_INFO'> & {
      readonly name: string;
      readonly catalog: string;
      readonly schema: string;
      readonly user_type_modifiers: readonly unknown[];
    })
  | TypeInfoBase<'GENERIC_TYPE_INFO' | 'STRING_TYPE_INFO' | 'INTEGER_LITERAL_TYPE_INFO'>;
interface TypeInfoBase<T extends string> {
  readonly type: T;
  readonly alias: string;
  readonly extension_info: null;
}

interface ValueNode {
  readonly type: TypeNode;
  readonly is_null: boolean;
  /** Absent if the value is NULL. DECIMAL: the unscaled integer. HUGEINT and wide DECIMAL: `HugeIntParts`. */
  readonly value?: string | number | bigint | boolean | HugeIntParts;
}

interface ExpressionBase<C extends string, T extends string = C> {
  readonly class: C;
  readonly type: T;
  /** Empty if there is no alias. It also holds the name of a named argument of a call. */
  readonly alias: string;
  readonly query_location: QueryLocation;
}
export interface ConstantNode extends ExpressionBase<'CONSTANT', 'VALUE_CONSTANT'> {
  readonly value: ValueNode;
}
export interface ColumnRefNode extends ExpressionBase<'COLUMN_REF'> {
  readonly column_names: readonly string[];
}
export interface FunctionNode extends ExpressionBase<'FUNCTION'> {
  readonly function_name: string;
  readonly schema: string;
  readonly catalog: string;
  readonly children: readonly Expression[];
  readonly filter: Expression | null;
  readonly order_bys: OrderModifier;
  readonly distinct: boolean;
  readonly is_operator: boolean;
  readonly export_state: boolean;
}
export interface WindowNode extends ExpressionBase<'WINDOW', string> {
  readonly function_name: string;
  readonly schema: string;
  readonly catalog: string;
  readonly children: readonly Expression[];
  readonly partitions: readonly Expression[];
  readonly orders: readonly OrderNode[];
  readonly start: string;
  readonly end: string;
  readonly start_expr: Expression | null;
  readonly end_expr: Expression | null;
  readonly offset_expr: Expression | null;
  readonly default_expr: Expression | null;
  readonly ignore_nulls: boolean;
  readonly filter_expr: Expression | null;
  readonly exclude_clause: string;
  readonly distinct: boolean;
  readonly arg_orders: readonly OrderNode[];
}
export interface CastNode extends ExpressionBase<'CAST', 'OPERATOR_CAST'> {
  readonly child: Expression;
  readonly cast_type: TypeNode;
  readonly try_cast: boolean;
}
export interface ComparisonNode extends ExpressionBase<'COMPARISON', string> {
  readonly left: Expression;
  readonly right: Expression;
}
interface ConjunctionNode extends ExpressionBase<'CONJUNCTION', 'CONJUNCTION_AND' | 'CONJUNCTION_OR'> {
  readonly children: readonly Expression[];
}
/** IS NULL, NOT, IN, COALESCE, ARRAY[…], subscripts and field access, distinguished by `type`. */
export interface OperatorNode extends ExpressionBase<'OPERATOR', string> {
  readonly children: readonly Expression[];
}
export interface CaseNode extends ExpressionBase<'CASE', 'CASE_EXPR'> {
  readonly case_checks: readonly { readonly when_expr: Expression; readonly then_expr: Expression }[];
  readonly else_expr: Expression;
}
export interface BetweenNode extends ExpressionBase<'BETWEEN', string> {
  readonly input: Expression;
  readonly lower: Expression;
  readonly upper: Expression;
}
export interface SubqueryNode extends ExpressionBase<'SUBQUERY'> {
  readonly subquery_type: 'SCALAR' | 'EXISTS' | 'NOT_EXISTS' | 'ANY' | string;
  readonly subquery: Statement;
  readonly child: Expression | null;
  readonly comparison_type: string;
}
export interface LambdaNode extends ExpressionBase<'LAMBDA'> {
  /** One COLUMN_REF, or for several parameters a `row(…)` call of them. */
  readonly lhs: Expression;
  readonly expr: Expression;
}
export interface StarNode extends ExpressionBase<'STAR'> {
  readonly relation_name: string;
  readonly exclude_list: readonly string[];
  readonly replace_list: readonly { readonly key: string; readonly value: Expression }[];
  readonly columns: boolean;
  readonly expr: Expression | null;
  readonly qualified_exclude_list: readonly unknown[];
  readonly rename_list: readonly unknown[];
}
export interface ParameterNode extends ExpressionBase<'PARAMETER', 'VALUE_PARAMETER'> {
  readonly identifier: string;
}
interface CollateNode extends ExpressionBase<'COLLATE'> {
  readonly child: Expression;
  readonly collation: string;
}
interface PositionalReferenceNode extends ExpressionBase<'POSITIONAL_REFERENCE'> {
  readonly index: number;
}
interface DefaultNode extends ExpressionBase<'DEFAULT', string> {}

export type Expression =
  | ConstantNode
  | ColumnRefNode
  | FunctionNode
  | WindowNode
  | CastNode
  | ComparisonNode
  | ConjunctionNode
  | OperatorNode
  | CaseNode
  | BetweenNode
  | SubqueryNode
  | LambdaNode
  | StarNode
  | ParameterNode
  | CollateNode
  | PositionalReferenceNode
  | DefaultNode;

export interface OrderNode {
  readonly type: 'ORDER_DEFAULT' | 'ASCENDING' | 'DESCENDING';
  readonly null_order: 'ORDER_DEFAULT' | 'NULLS FIRST' | 'NULLS LAST';
  readonly expression: Expression;
}
export interface OrderModifier {
  readonly type: 'ORDER_MODIFIER';
  readonly orders: readonly OrderNode[];
}
export type ResultModifier =
  | OrderModifier
  | {
      readonly type: 'LIMIT_MODIFIER' | 'LIMIT_PERCENT_MODIFIER';
      readonly limit: Expression | null;
      readonly offset: Expression | null;
    }
  | { readonly type: 'DISTINCT_MODIFIER'; readonly distinct_on_targets: readonly Expression[] };

export interface Statement {
  readonly node: QueryNode;
  readonly named_param_map: readonly unknown[];
}
export interface CteMap {
  readonly map: readonly {
    readonly key: string;
    readonly value: {
      readonly aliases: readonly string[];
      readonly query: Statement;
      readonly materialized: string;
      readonly key_targets: readonly Expression[];
    };
  }[];
}
interface QueryNodeBase<T extends string> {
  readonly type: T;
  readonly modifiers: readonly ResultModifier[];
  readonly cte_map: CteMap;
}
export interface SelectNode extends QueryNodeBase<'SELECT_NODE'> {
  readonly select_list: readonly Expression[];
  readonly from_table: TableRef;
  readonly where_clause: Expression | null;
  readonly group_expressions: readonly Expression[];
  readonly group_sets: readonly (readonly number[])[];
  readonly aggregate_handling: string;
  readonly having: Expression | null;
  readonly sample: unknown;
  readonly qualify: Expression | null;
}
export interface SetOperationNode extends QueryNodeBase<'SET_OPERATION_NODE'> {
  readonly setop_type: 'UNION' | 'UNION_BY_NAME' | 'EXCEPT' | 'INTERSECT';
  readonly setop_all: boolean;
  readonly left: QueryNode;
  readonly right: QueryNode;
  /** Present instead of left and right for long chains of UNION. */
  readonly children?: readonly QueryNode[];
}
interface RecursiveCteNode extends QueryNodeBase<'RECURSIVE_CTE_NODE'> {
  readonly cte_name: string;
  readonly union_all: boolean;
  readonly left: QueryNode;
  readonly right: QueryNode;
  readonly aliases: readonly string[];
  readonly key_targets: readonly Expression[];
}
export type QueryNode = SelectNode | SetOperationNode | RecursiveCteNode;

interface TableRefBase<T extends string> {
  readonly type: T;
  readonly alias: string;
  readonly sample: unknown;
  readonly query_location: QueryLocation;
}
export interface BaseTableRef extends TableRefBase<'BASE_TABLE'> {
  readonly catalog_name: string;
  readonly schema_name: string;
  readonly table_name: string;
  readonly column_name_alias: readonly string[];
  readonly at_clause: unknown;
}
export interface JoinRef extends TableRefBase<'JOIN'> {
  readonly left: TableRef;
  readonly right: TableRef;
  readonly condition: Expression | null;
  readonly join_type: string;
  readonly ref_type: string;
  readonly using_columns: readonly string[];
  readonly delim_flipped: boolean;
  readonly duplicate_eliminated_columns: readonly Expression[];
}
export interface SubqueryRef extends TableRefBase<'SUBQUERY'> {
  readonly subquery: Statement;
  readonly column_name_alias: readonly string[];
}
export interface TableFunctionRef extends TableRefBase<'TABLE_FUNCTION'> {
  readonly function: FunctionNode;
  readonly column_name_alias: readonly string[];
  readonly with_ordinality: 'WITHOUT_ORDINALITY' | 'WITH_ORDINALITY';
}
export interface ExpressionListRef extends TableRefBase<'EXPRESSION_LIST'> {
  readonly expected_names: readonly string[];
  readonly expected_types: readonly TypeNode[];
  readonly values: readonly (readonly Expression[])[];
}
interface EmptyRef extends TableRefBase<'EMPTY'> {}
interface ShowRef extends TableRefBase<'SHOW_REF'> {
  readonly table_name: string;
  readonly query: QueryNode | null;
  readonly show_type: string;
}
interface PivotRef extends TableRefBase<'PIVOT'> {
  readonly source: TableRef;
  readonly aggregates: readonly Expression[];
  readonly column_name_alias: readonly string[];
}
interface ColumnDataRef extends TableRefBase<'COLUMN_DATA' | 'DELIM_GET' | 'CTE'> {}
export type TableRef =
  | BaseTableRef
  | JoinRef
  | SubqueryRef
  | TableFunctionRef
  | ExpressionListRef
  | EmptyRef
  | ShowRef
  | PivotRef
  | ColumnDataRef;
