/**
 * The kernel's bound, optimised plan (`json_serialize_plan`), as far as planning reads it. Absent fields are
 * empty or have their default value.
 */

export interface PlanType {
  readonly id: string;
  readonly type_info?: PlanTypeInfo | null;
}

interface PlanTypeInfo {
  readonly type: string;
  /** The name of the type if it has one of its own, such as JSON. */
  readonly alias?: string;
  readonly width?: number;
  readonly scale?: number;
  readonly child_type?: PlanType;
  readonly child_types?: readonly { readonly first?: string; readonly second: PlanType }[];
  /** The size of an ARRAY. */
  readonly size?: number;
  /** The values of an ENUM. */
  readonly values?: readonly string[];
}

export interface PlanValue {
  readonly type: PlanType;
  readonly is_null?: boolean;
  readonly value?: unknown;
}

/** `type` distinguishes expressions. A reference is a position in the columns of the operator's children. */
export interface PlanExpression {
  readonly type: string;
  readonly expression_class?: string;
  readonly alias?: string;
  readonly index?: number;
  readonly name?: string;
  readonly value?: PlanValue;
  readonly left?: PlanExpression;
  readonly right?: PlanExpression;
  readonly child?: PlanExpression;
  readonly children?: readonly PlanExpression[];
  readonly try_cast?: boolean;
  readonly return_type?: PlanType;
  /** The tested value of BETWEEN. */
  readonly input?: PlanExpression;
  readonly lower?: PlanExpression;
  readonly upper?: PlanExpression;
  readonly lower_inclusive?: boolean;
  readonly upper_inclusive?: boolean;
  readonly case_checks?: readonly {
    readonly when_expr: PlanExpression;
    readonly then_expr: PlanExpression;
  }[];
  readonly else_expr?: PlanExpression;
  /**
   * Set for functions; `function_data` is what the binder derived from arguments that are no longer among the
   * children.
   */
  readonly is_operator?: boolean;
  readonly arguments?: readonly PlanType[];
  readonly original_arguments?: readonly PlanType[];
  readonly function_data?: Readonly<Record<string, unknown>>;
  /** Set for aggregates. */
  readonly aggregate_type?: string;
  readonly filter?: PlanExpression | null;
  readonly order_bys?: { readonly orders?: readonly PlanOrder[] } | null;
  /** Set for windows. */
  readonly partitions?: readonly PlanExpression[];
  readonly orders?: readonly PlanOrder[];
  readonly arg_orders?: readonly PlanOrder[];
  readonly filters?: PlanExpression | null;
  readonly ignore_nulls?: boolean;
  readonly distinct?: boolean;
  readonly start?: string;
  readonly end?: string;
  readonly start_expr?: PlanExpression | null;
  readonly end_expr?: PlanExpression | null;
  readonly offset_expr?: PlanExpression | null;
  readonly default_expr?: PlanExpression | null;
  readonly exclude_clause?: string;
  /** The binding of a `BOUND_COLUMN_REF`, which the kernel leaves in the inputs of table functions. */
  readonly binding?: { readonly table_index?: number; readonly column_index?: number };
}

export interface PlanOrder {
  readonly type: string;
  readonly null_order: string;
  readonly expression: PlanExpression;
}

/** A filter that the scan of a table applies to one column; `filter_type` distinguishes the kinds. */
export interface PlanFilter {
  readonly filter_type: string;
  readonly comparison_type?: string;
  readonly constant?: PlanValue;
  readonly child_filter?: PlanFilter;
  readonly child_filters?: readonly PlanFilter[];
  readonly child_name?: string;
  readonly values?: readonly PlanValue[];
  readonly expr?: PlanExpression;
}

export interface PlanOperator {
  readonly type: string;
  readonly children?: readonly PlanOperator[];
  readonly expressions?: readonly PlanExpression[];
}

export interface PlanSampleOptions {
  readonly sample_size?: PlanValue;
  readonly is_percentage?: boolean;
  readonly method?: string;
  readonly seed?: number | bigint;
}

/**
 * A scan. `column_indexes` are the columns that it returns, as positions in `names`. For managed tables, see
 * `managedTable`.
 */
export interface PlanGet extends PlanOperator {
  readonly table_index?: number;
  readonly names?: readonly string[];
  readonly returned_types?: readonly PlanType[];
  readonly column_indexes?: readonly { readonly index: number | bigint }[];
  readonly projection_ids?: readonly number[];
  /** The name of the table function that it calls. */
  readonly name?: string;
  readonly function_data?: { readonly schema?: string; readonly table?: string };
  readonly parameters?: readonly PlanValue[];
  readonly named_parameters?: readonly { readonly key: string; readonly value: PlanValue }[];
  readonly input_table_types?: readonly PlanType[];
  /** The positions of the child's columns that follow those of the function. */
  readonly projected_input?: readonly number[];
  readonly extra_info?: { readonly sample_options?: PlanSampleOptions | null } | null;
  readonly ordinality_idx?: number | bigint;
  readonly table_filters?: {
    readonly filters?: readonly { readonly key: number; readonly value: PlanFilter }[];
  };
}

export const isGet = (node: PlanOperator): node is PlanGet => node.type === 'LOGICAL_GET';
