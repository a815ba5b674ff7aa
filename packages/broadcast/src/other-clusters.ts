import type { QueryId } from '@tessera/common';
import type { ClusterIdentity } from './announcements.ts';
import {
  type BroadcastPlace,
  type ConnectionOptions,
  ServiceConnection,
  type ViewOfOthers,
} from './service-connection.ts';

export interface OtherClustersOptions extends Omit<ConnectionOptions, 'place'> {
  /** The services that connect this cluster with others; at least one. */
  readonly services: readonly BroadcastPlace[];
  /** See `engine.multi_cluster.broadcast_tuple_limit_per_engine_cluster`; 0 means no limit. */
  readonly rowLimit: number;
}

/** The other clusters of this engine, and the other engines of this instance, that services can reach. */
export interface OtherClusters {
  readonly cluster: ClusterIdentity;
  /** Never rejects; missing rows are reported in `warnings`. */
  rowsOf(view: string): Promise<ViewOfOthers>;
  /** Resolves with false if no other cluster that answers runs such a query. */
  cancelQuery(queryId: QueryId, reason: string, ofUser?: string): Promise<boolean>;
  /** Resolves once every service has answered, or failed to answer, for the first time. */
  readonly announced: Promise<void>;
  close(): Promise<void>;
}

/** Announces this node until it is closed, and asks the other clusters. */
export function openOtherClusters(options: OtherClustersOptions): OtherClusters {
  const { cluster, services, rowLimit } = options;
  const connections = services.map((place) => new ServiceConnection({ ...options, place }));
  return {
    cluster,
    rowsOf: async (view) => {
      const answers = await Promise.all(connections.map((connection) => connection.rowsOf(view, rowLimit)));
      return {
        rows: answers.flatMap(({ rows }) => rows),
        warnings: answers.flatMap(({ warnings }) => warnings),
      };
    },
    cancelQuery: async (queryId, reason, ofUser) => {
      const found = await Promise.all(
        connections.map((connection) => connection.cancelQuery(queryId, reason, ofUser)),
      );
      return found.includes(true);
    },
    announced: Promise.all(connections.map(({ announced }) => announced)).then(() => undefined),
    close: async () => void (await Promise.all(connections.map((connection) => connection.close()))),
  };
}
