import { MANAGED_SCHEMA } from '@tessera/sql';

/**
 * Optimisers that are disabled in the mirror. Plans cannot always be serialised with the first four; the
 * others draw conclusions from the tables being empty, or insert operators that only an execution
 * understands, such as `regex_range`, which compares texts with binary values.
 */
const DISABLED_OPTIMIZERS = [
  'column_lifetime',
  'build_side_probe_side',
  'unused_columns',
  'unnest_rewriter',
  'top_n_window_elimination',
  'statistics_propagation',
  'compressed_materialization',
  'join_filter_pushdown',
  'late_materialization',
  'common_subplan',
  'regex_range',
];

/**
 * The statements that the mirror kernel, which binds and plans over empty tables, runs after
 * `kernelBootstrap` and before it is locked down.
 */
export const mirrorBootstrap: readonly string[] = [
  `CREATE SCHEMA ${MANAGED_SCHEMA}`,
  `SET GLOBAL disabled_optimizers = '${DISABLED_OPTIMIZERS.join(',')}'`,
];
