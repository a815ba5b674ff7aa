import { RELATION_FUNCTION } from '@tessera/kernel';
import { MANAGED_SCHEMA } from '@tessera/sql';
import type { PlanGet } from './plan-nodes.ts';

/**
 * The bound name of the managed table that is scanned, without its schema; undefined for scans of anything else.
 *
 * The mirror has tables as relations of a size (`defineRelation` of the kernel), which plans show as calls of a function:
 *
 *     {"type": "LOGICAL_GET", "table_index": 0, "names": [all columns], "returned_types": [their types],
 *      "name": "defined_relation", "parameters": [{"type": {"id": "VARCHAR"}, "is_null": false, "value": "t_01…_7"}],
 *      "column_indexes": [{"index": 2, …}, …]}
 *
 * Such a scan has neither `function_data` nor `table_filters`: conditions stand in a LOGICAL_FILTER above. Where no column is
 * named (`count(*)`) `column_indexes` is the first one. A real table of the schema is a `seq_scan` with `function_data`.
 */
export function managedTable({ name, parameters, function_data }: PlanGet): string | undefined {
  if (name === RELATION_FUNCTION) return String(parameters?.[0]?.value);
  return function_data?.schema === MANAGED_SCHEMA ? function_data.table : undefined;
}
