import type { ClusterFacts, RowOfCluster } from '../facts/system-facts.ts';
import {
  columnsOf,
  type SystemColumn,
  type SystemRelation,
  type SystemValue,
  TIME,
} from '../facts/system-relation.ts';
import { metricsHistory, queryHistory, runningQueries, userQueryHistory } from './activity.ts';
import { nodesView } from './cluster.ts';

/** The views that show all clusters of the engine: each cluster contributes the rows that only it knows. */
const VIEWS: Readonly<Record<string, (facts: ClusterFacts) => SystemRelation>> = {
  engine_metrics_history: metricsHistory,
  engine_query_history: queryHistory,
  engine_running_queries: runningQueries,
  engine_user_query_history: userQueryHistory,
  nodes: nodesView,
};

export const isClusterView = (name: string): boolean => Object.hasOwn(VIEWS, name);

/** The name of the cluster that a row comes from; NULL if the engine has only one cluster. */
const CLUSTER = columnsOf('cluster_id');

/** Each view with its own rows and those of the other clusters. */
export const CLUSTER_VIEWS = Object.fromEntries(
  Object.entries(VIEWS).map(([name, view]) => [
    name,
    (facts: ClusterFacts & { readonly otherClusters: readonly RowOfCluster[] }): SystemRelation => {
      const { columns, rows } = view(facts);
      return { columns: [...columns, ...CLUSTER], rows: allRows(rows, columns, facts) };
    },
  ]),
);

function* allRows(
  own: Iterable<readonly SystemValue[]>,
  columns: readonly SystemColumn[],
  {
    cluster,
    otherClusters,
  }: Pick<ClusterFacts, 'cluster'> & { readonly otherClusters: readonly RowOfCluster[] },
): Generator<readonly SystemValue[]> {
  for (const row of own) yield columns.map((_, i) => row[i]).concat(cluster);
  for (const { cluster: sender, row } of otherClusters)
    yield columns.map((column) => received(row[column.name], column)).concat(sender);
}

const received = (value: unknown, { type }: SystemColumn): SystemValue =>
  type === TIME && typeof value === 'string' ? new Date(value) : (value as SystemValue);

/** The rows of one of these views for other clusters; empty for any other view. */
export function rowsForOtherClusters(name: string, facts: ClusterFacts): readonly RowOfCluster['row'][] {
  const relation = isClusterView(name) ? VIEWS[name]!(facts) : undefined;
  if (relation === undefined) return [];
  return Array.from(relation.rows, (row) =>
    Object.fromEntries(relation.columns.map(({ name: column }, i) => [column, row[i]])),
  );
}
