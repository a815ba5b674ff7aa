import { RELATION_FUNCTION } from '@tessera/kernel';
import { MANAGED_SCHEMA } from '@tessera/sql';
import type { PlanGet } from './plan-nodes.ts';

/**
 * The bound name of the managed table that is scanned, without its schema; undefined for other scans.
 * In the mirror, tables are relations with a row count (`defineRelation` of the kernel), which plans show as
 * calls of a function:
 *     {"type": "LOGICAL_GET", "table_index": 0, "names": [all columns], "returned_types": [their types],
 *      "name": "defined_relation", "parameters": [{"type": {"id": "VARCHAR"}, "is_null": false, "value": "t_01…_7"}],
 *      "column_indexes": [{"index": 2, …}, …]}
 * Such a scan has neither `function_data` nor `table_filters`: conditions are in a LOGICAL_FILTER above. If
 * no column is named (`count(*)`), `column_indexes` contains the first one. A real table of the schema is a
 * `seq_scan` with `function_data`.
 */
export function managedTable({ name, parameters, function_data }: PlanGet): string | undefined {
  if (name === RELATION_FUNCTION) return String(parameters?.[0]?.value);
  return function_data?.schema === MANAGED_SCHEMA ? function_data.table : undefined;
}
