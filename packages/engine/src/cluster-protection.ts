import { TesseraError } from '@tessera/common';
import type { NodeCredentials } from '@tessera/rpc';

const LOOPBACK_NAMES = new Set(['localhost', '127.0.0.1', '::1']);

/**
 * Refuses unprotected ports between nodes: anyone who reaches them can read and change every table, so they
 * require a secret unless only this machine can reach them.
 * @throws TesseraError INVALID_ARGUMENT
 */
export function checkProtected(
  host: string,
  service: string,
  { clusterToken, tls }: NodeCredentials,
  insecure: boolean,
): void {
  if (clusterToken !== undefined || tls !== undefined || insecure || LOOPBACK_NAMES.has(host)) return;
  throw TesseraError.of('INVALID_ARGUMENT', {
    message: `To listen on ${host} the ${service} needs a cluster token (TESSERA_CLUSTER_TOKEN or TESSERA_CLUSTER_TOKEN_FILE), or TLS (--cluster-tls-ca, --cluster-tls-cert and --cluster-tls-key), or --insecure-cluster`,
  });
}
