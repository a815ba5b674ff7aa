import {
  type ClusterTlsFiles,
  clusterTls,
  clusterTlsFiles,
  clusterToken,
  type NodeCredentials,
} from '@tessera/rpc';

/**
 * What this node shows to others: the cluster token and certificate of the environment, and of flags before it.
 * @throws TesseraError INVALID_ARGUMENT for a token or files that cannot be used
 */
export function nodeCredentials(files: ClusterTlsFiles): NodeCredentials {
  const given = Object.values(files).some((file) => file !== undefined);
  return { clusterToken: clusterToken(), tls: clusterTls(given ? files : clusterTlsFiles()) };
}
