import { randomBytes } from 'node:crypto';
import {
  type ClusterTlsFiles,
  clusterTls,
  clusterTlsFiles,
  clusterToken,
  type NodeCredentials,
} from '@tessera/rpc';

/**
 * The credentials that this node presents to others: the cluster token and certificate from flags or the
 * environment, in that order.
 * @throws TesseraError INVALID_ARGUMENT for a token or files that cannot be used
 */
export function nodeCredentials(files: ClusterTlsFiles): NodeCredentials {
  const given = Object.values(files).some((file) => file !== undefined);
  return { clusterToken: clusterToken(), tls: clusterTls(given ? files : clusterTlsFiles()) };
}

/**
 * The credentials of a single node: a random token, so that its internal ports answer no other process on the
 * machine.
 */
export const lonelyCredentials = (credentials: NodeCredentials): NodeCredentials => ({
  ...credentials,
  clusterToken: credentials.clusterToken ?? randomBytes(32).toString('hex'),
});
