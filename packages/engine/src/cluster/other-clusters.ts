import { type OtherClusters, openOtherClusters } from '@tessera/broadcast';
import { type Logger, TesseraError } from '@tessera/common';
import type { EngineConfig } from '@tessera/config';
import type { NodeCredentials } from '@tessera/rpc';
import type { ClusterNode } from '@tessera/scheduler';

export interface ClustersOptions {
  readonly config: EngineConfig;
  /** The current state of this node. */
  readonly self: () => ClusterNode;
  /** The credentials of the ports between nodes, with the engine and the version of the kernel. */
  readonly credentials: NodeCredentials;
  readonly log: Logger;
}

/**
 * The other clusters of the engine, reached through `engine.multi_cluster.broadcast_endpoint`; undefined for an engine
 * of one cluster.
 * @throws TesseraError INVALID_ARGUMENT if the endpoint needs TLS and this node has no certificate
 */
export function openClusters({ config, self, credentials, log }: ClustersOptions): OtherClusters | undefined {
  const { multi_cluster: multiCluster, cluster_id: id, cluster_ordinal: ordinal } = config.engine;
  if (multiCluster === null || id === null || ordinal === null) return undefined;
  const { engine = '', kernelVersion = '', clusterToken, tls } = credentials;
  const { broadcast_endpoint: endpoint, broadcast_ssl_enabled: encrypted } = multiCluster;
  if (encrypted && tls === undefined) {
    throw TesseraError.of('INVALID_ARGUMENT', {
      message:
        'engine.multi_cluster.broadcast_ssl_enabled needs the certificate of this node (--cluster-tls-ca, --cluster-tls-cert and --cluster-tls-key)',
    });
  }
  return openOtherClusters({
    cluster: { engine, id, ordinal },
    endpoint,
    rowLimit: multiCluster.broadcast_tuple_limit_per_engine_cluster,
    credentials: { clusterToken, ...(encrypted && { tls }) },
    node: () => {
      const { name, status } = self();
      return { address: name, kernelVersion, isDraining: status === 'draining' };
    },
    log,
  });
}
