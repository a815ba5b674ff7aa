import type { ClusterMembership } from '@tessera/scheduler';

/**
 * The first nodes of a cluster in the order of `engine.nodes`, so that queries with the same limit find the
 * same tables in memory.
 * @param limit 0 means all nodes
 */
export const limitedNodes = (cluster: ClusterMembership, limit: number): ClusterMembership =>
  limit === 0
    ? cluster
    : {
        get self() {
          return cluster.self;
        },
        get size() {
          return cluster.size;
        },
        members: () => cluster.members(),
        living: () => cluster.living().slice(0, limit),
        onLost: (listener) => cluster.onLost(listener),
      };
