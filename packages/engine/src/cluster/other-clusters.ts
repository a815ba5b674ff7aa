import { type BroadcastPlace, type OtherClusters, openOtherClusters } from '@tessera/broadcast';
import { type Logger, TesseraError } from '@tessera/common';
import type { EngineConfig } from '@tessera/config';
import type { NodeCredentials } from '@tessera/rpc';
import type { ClusterNode } from '@tessera/scheduler';

export interface ClustersOptions {
  readonly config: EngineConfig;
  /** The current state of this node. */
  readonly self: () => ClusterNode;
  /** The names of all nodes of the cluster. */
  readonly nodeNames: readonly string[];
  /** The credentials of the ports between nodes, with the engine and the version of the kernel. */
  readonly credentials: NodeCredentials;
  readonly log: Logger;
}

/**
 * The other clusters of the engine, reached through `engine.multi_cluster.broadcast_endpoint`, and the other engines of the
 * instance, reached through `instance.multi_engine.metadata_endpoint`; undefined if the configuration has neither.
 * @throws TesseraError INVALID_ARGUMENT if the endpoint needs TLS and this node has no certificate
 */
export function openClusters({
  config,
  self,
  nodeNames,
  credentials,
  log,
}: ClustersOptions): OtherClusters | undefined {
  const services = [...clusterService(config, credentials), ...engineService(config, credentials)];
  if (services.length === 0) return undefined;
  const { engine = '', kernelVersion = '' } = credentials;
  const { cluster_id: id, cluster_ordinal: ordinal, multi_cluster: multiCluster } = config.engine;
  return openOtherClusters({
    cluster: { engine, id: id ?? '', ordinal: ordinal ?? 0 },
    services,
    rowLimit: multiCluster?.broadcast_tuple_limit_per_engine_cluster ?? 0,
    node: () => {
      const { name, status } = self();
      return { address: name, kernelVersion, isDraining: status === 'draining', clusterNodes: nodeNames };
    },
    log,
  });
}

/** The service that connects the clusters of the engine, if it has several. */
function clusterService(
  { engine: { multi_cluster: multiCluster } }: EngineConfig,
  { clusterToken, tls }: NodeCredentials,
): BroadcastPlace[] {
  if (multiCluster === null) return [];
  const { broadcast_endpoint: endpoint, broadcast_ssl_enabled: encrypted } = multiCluster;
  if (encrypted && tls === undefined) {
    throw TesseraError.of('INVALID_ARGUMENT', {
      message:
        'engine.multi_cluster.broadcast_ssl_enabled needs the certificate of this node (--cluster-tls-ca, --cluster-tls-cert and --cluster-tls-key)',
    });
  }
  const credentials = { clusterToken, ...(encrypted && { tls }) };
  return [{ connected: 'clusters', name: 'broadcast service', endpoint, credentials }];
}

/** The metadata service, which connects the engines of an instance, if there may be several. */
function engineService(
  { instance: { type, multi_engine: multiEngine } }: EngineConfig,
  { clusterToken, tls, tableStore }: NodeCredentials,
): BroadcastPlace[] {
  if (type !== 'multi_engine' || multiEngine === null) return [];
  const { metadata_endpoint: endpoint } = multiEngine;
  return [
    {
      connected: 'engines',
      name: 'metadata service',
      endpoint,
      credentials: { clusterToken, tls, tableStore },
    },
  ];
}
