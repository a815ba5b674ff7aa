import { TesseraError } from '@tessera/common';
import { type EngineConfig, engineNodes, storageIsLocal } from '@tessera/config';
import type { NodeCredentials } from '@tessera/rpc';
import type { ServeOptions } from './serve-options.ts';

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

/** Checks that nodes and engines which share tables also share the store of their tablets. */
export function checkShared(config: EngineConfig): void {
  if (!storageIsLocal(config)) return;
  if (!hasOthers(config)) return;
  throw TesseraError.of('INVALID_ARGUMENT', {
    message:
      'Several nodes or engines need a storage block: without one each keeps its tables in a directory of its own',
  });
}

/**
 * Whether the node opens the ports for other nodes: it does not if it stands alone, with its tables on its own disk, and no
 * node or port was configured.
 */
export function opensNodePorts(options: ServeOptions): boolean {
  const { config, storageManagerPort, storageAgentPort, distexecPort, shufflePort } = options;
  const isConfigured = [storageManagerPort, storageAgentPort, distexecPort, shufflePort].some(
    (port) => port !== undefined,
  );
  return (
    isConfigured ||
    hasOthers(config) ||
    options.insecureCluster ||
    (config.engine.nodes?.length ?? 0) > 0 ||
    !storageIsLocal(config)
  );
}

/** Whether the engine has other nodes or clusters, or shares its tables with other engines. */
export const hasOthers = (config: EngineConfig): boolean =>
  engineNodes(config).length > 1 ||
  config.instance.type === 'multi_engine' ||
  config.engine.multi_cluster !== null;
