import { RELATION_FUNCTION } from '@tessera/kernel';
import { MANAGED_SCHEMA } from '@tessera/sql';

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

/**
 * A scan. `column_indexes` are the columns it gives, by their place in `names`.
 *
 * A managed table, as the mirror has it (`defineRelation` of the kernel), is a call of a table function:
 *
 *     {"type": "LOGICAL_GET", "table_index": 0, "names": [all columns], "returned_types": [their types],
 *      "name": "defined_relation", "parameters": [{"type": {"id": "VARCHAR"}, "is_null": false, "value": "t_01…_7"}],
 *      "column_indexes": [{"index": 2, …}, …]}
 *
 * It has neither `function_data` nor `table_filters`: conditions stand in a LOGICAL_FILTER above. Where no column is named
 * (`count(*)`) `column_indexes` is the first one. What tests make with CREATE TABLE is a `seq_scan` with
 * `function_data.schema`, `function_data.table`. `managedTable` tells the name of both.
 */
export interface PlanGet extends PlanOperator {
  /** Of the table function. */
  readonly name?: string;
  readonly parameters?: readonly PlanValue[];
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

/** The bound name of the managed table that is scanned, without its schema; undefined for scans of anything else. */
export function managedTable({ name, parameters, function_data }: PlanGet): string | undefined {
  if (name === RELATION_FUNCTION) return String(parameters?.[0]?.value);
  return function_data?.schema === MANAGED_SCHEMA ? function_data.table : undefined;
}
