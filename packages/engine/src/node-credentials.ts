import { randomBytes } from 'node:crypto';
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

/**
 * What a node that has no others shows itself: a token that nobody else can know, so that its ports between nodes answer
 * nobody else on the machine either.
 */
export const lonelyCredentials = (credentials: NodeCredentials): NodeCredentials => ({
  ...credentials,
  clusterToken: credentials.clusterToken ?? randomBytes(32).toString('hex'),
});
