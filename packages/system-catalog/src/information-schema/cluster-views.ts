import type { ClusterFacts, RowOfCluster } from '../facts/system-facts.ts';
import {
  columnsOf,
  type SystemColumn,
  type SystemRelation,
  type SystemValue,
  TIME,
} from '../facts/system-relation.ts';
import { metricsHistory, queryHistory, runningQueries, userQueryHistory } from './activity.ts';
import { enginesOf, nodesView } from './cluster.ts';

/** The facts of this cluster, and the rows of the other ones. */
type AllClusters = ClusterFacts & { readonly otherClusters: readonly RowOfCluster[] };

/**
 * The views that show all clusters of the engine and all engines of the instance: each cluster contributes the rows that
 * only it knows.
 */
const VIEWS: Readonly<Record<string, (facts: ClusterFacts) => SystemRelation>> = {
  engine_metrics_history: metricsHistory,
  engine_query_history: queryHistory,
  engine_running_queries: runningQueries,
  engine_user_query_history: userQueryHistory,
  nodes: nodesView,
};

/** The view whose rows other clusters are asked for when this one is read; undefined if they need not be asked. */
export const viewOfOthers = (name: string): string | undefined => {
  if (name === 'engines') return 'nodes';
  return Object.hasOwn(VIEWS, name) ? name : undefined;
};

/** The cluster and the engine that a row comes from; the cluster is NULL if the engine has only one. */
const ORIGIN = columnsOf('cluster_id', 'engine_name');

/** Each view with its own rows and those of the other clusters. */
export const CLUSTER_VIEWS = {
  ...Object.fromEntries(
    Object.entries(VIEWS).map(([name, view]) => [
      name,
      (facts: AllClusters) => withOthers(view(facts), facts),
    ]),
  ),
  engines: (facts: AllClusters): SystemRelation => {
    const { columns, rows } = withOthers(nodesView(facts), facts);
    const nodes = Array.from(rows, (row) =>
      Object.fromEntries(columns.map(({ name }, i) => [name, row[i]] as const)),
    );
    return enginesOf(nodes);
  },
};

const withOthers = ({ columns, rows }: SystemRelation, facts: AllClusters): SystemRelation => ({
  columns: [...columns, ...ORIGIN],
  rows: allRows(rows, columns, facts),
});

function* allRows(
  own: Iterable<readonly SystemValue[]>,
  columns: readonly SystemColumn[],
  { cluster, engine, otherClusters }: Pick<AllClusters, 'cluster' | 'engine' | 'otherClusters'>,
): Generator<readonly SystemValue[]> {
  for (const row of own) yield columns.map((_, i) => row[i]).concat(cluster, engine);
  for (const { row, ...from } of otherClusters)
    yield columns.map((column) => received(row[column.name], column)).concat(from.cluster, from.engine);
}

const received = (value: unknown, { type }: SystemColumn): SystemValue =>
  type === TIME && typeof value === 'string' ? new Date(value) : (value as SystemValue);

/** The rows of one of these views for other clusters; empty for any other view. */
export function rowsForOtherClusters(name: string, facts: ClusterFacts): readonly RowOfCluster['row'][] {
  const relation = Object.hasOwn(VIEWS, name) ? VIEWS[name]!(facts) : undefined;
  if (relation === undefined) return [];
  return Array.from(relation.rows, (row) =>
    Object.fromEntries(relation.columns.map(({ name: column }, i) => [column, row[i]])),
  );
}
