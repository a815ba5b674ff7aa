/** The kernel's bound, optimised plan (`json_serialize_plan`), as far as planning reads it. Absent fields are empty. */

export interface PlanType {
  readonly id: string;
  readonly type_info?: { readonly type: string; readonly width?: number; readonly scale?: number } | null;
}

export interface PlanValue {
  readonly type: PlanType;
  readonly is_null?: boolean;
  readonly value?: unknown;
}

/** `type` tells expressions apart; a reference is by position in the columns of the operator's children. */
export interface PlanExpression {
  readonly type: string;
  readonly expression_class?: string;
  readonly index?: number;
  readonly name?: string;
  readonly value?: PlanValue;
  readonly left?: PlanExpression;
  readonly right?: PlanExpression;
  readonly child?: PlanExpression;
  readonly children?: readonly PlanExpression[];
  readonly try_cast?: boolean;
  readonly return_type?: PlanType;
}

/** What the scan of a table applies to one column; `filter_type` tells them apart. */
export interface PlanFilter {
  readonly filter_type: string;
  readonly comparison_type?: string;
  readonly constant?: PlanValue;
  readonly child_filter?: PlanFilter;
  readonly child_filters?: readonly PlanFilter[];
  readonly values?: readonly PlanValue[];
  readonly expr?: PlanExpression;
}

export interface PlanOperator {
  readonly type: string;
  readonly children?: readonly PlanOperator[];
  readonly expressions?: readonly PlanExpression[];
}

/** A scan. `column_indexes` are the columns it gives, by their place in `names`. */
export interface PlanGet extends PlanOperator {
  readonly names?: readonly string[];
  readonly returned_types?: readonly PlanType[];
  readonly column_indexes?: readonly { readonly index: number | bigint }[];
  readonly projection_ids?: readonly number[];
  readonly function_data?: { readonly schema?: string; readonly table?: string };
  readonly table_filters?: {
    readonly filters?: readonly { readonly key: number; readonly value: PlanFilter }[];
  };
}

export const isGet = (node: PlanOperator): node is PlanGet => node.type === 'LOGICAL_GET';
