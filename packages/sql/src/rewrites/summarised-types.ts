import { internalCall } from '../functions/expressions.ts';
import { column, NO_LOCATION, type SelectNode, selectAll, type TableRef } from '../tree.ts';

/** The columns of SUMMARIZE. */
const COLUMNS =
  'column_name column_type min max approx_unique avg std q25 q50 q75 count null_percentage'.split(' ');

/**
 * SUMMARIZE names the types of columns as the kernel does (`VARCHAR`). `SUMMARIZE t` becomes
 *     SELECT column_name, tsr_type_name(column_type) AS column_type, min, … FROM (SUMMARIZE t)
 * so that it names them as the dialect does (`text`).
 */
export function summarisedTypes(node: TableRef): TableRef {
  if (node.type !== 'SHOW_REF' || node.show_type !== 'SUMMARY') return node;
  const items = COLUMNS.map((name) =>
    name === 'column_type' ? { ...internalCall('type_name', column(name)), alias: name } : column(name),
  );
  // The kernel prints a query directly over a SHOW_REF as SUMMARIZE alone, so one that selects everything is between them.
  const summary = subquery(selectAll(node), '');
  return subquery({ ...selectAll(summary), select_list: items }, node.alias);
}

const subquery = (node: SelectNode, alias: string): TableRef => ({
  type: 'SUBQUERY',
  alias,
  sample: null,
  query_location: NO_LOCATION,
  subquery: { node, named_param_map: [] },
  column_name_alias: [],
});
