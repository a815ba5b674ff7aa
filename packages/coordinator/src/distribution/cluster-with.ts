import type { Cluster } from '@tessera/scheduler';

/** The cluster with some of its functions replaced. */
export const clusterWith = (cluster: Cluster, changes: Partial<Cluster>): Cluster => ({
  get self() {
    return cluster.self;
  },
  get size() {
    return cluster.size;
  },
  members: () => cluster.members(),
  living: () => cluster.living(),
  onLost: (listener) => cluster.onLost(listener),
  runTask: (node, task, options) => cluster.runTask(node, task, options),
  release: (node, queryId, which) => cluster.release(node, queryId, which),
  listQueries: (node) => cluster.listQueries(node),
  cancelQuery: (node, queryId, reason, ofUser) => cluster.cancelQuery(node, queryId, reason, ofUser),
  close: () => cluster.close(),
  ...changes,
});

/**
 * The first nodes of a cluster in the order of `engine.nodes`, so that queries with the same limit find the
 * same tables in memory.
 * @param limit 0 means all nodes
 */
export const limitedNodes = (cluster: Cluster, limit: number): Cluster =>
  limit === 0 ? cluster : clusterWith(cluster, { living: () => cluster.living().slice(0, limit) });
