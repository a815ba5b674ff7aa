import type { Authenticator } from '@tessera/auth';
import type { Logger } from '@tessera/common';
import type { NodeCredentials } from '@tessera/rpc';
import type { Listener } from './listeners.ts';

/** Logs a warning about what anyone could do through listeners that other machines can reach. */
export function warnOfOpenListeners(
  listeners: readonly Pick<Listener, 'purpose' | 'address' | 'reach' | 'encrypted'>[],
  { mode }: Authenticator,
  log: Logger,
): void {
  for (const { purpose, address, reach, encrypted } of listeners) {
    if (reach !== 'network' || (purpose !== 'query' && purpose !== 'postgres')) continue;
    if (mode === 'disabled')
      log.warn(
        { address },
        'other machines can reach this listener and auth.mode is disabled: they may do everything',
      );
    else if (!encrypted)
      log.warn(
        { address },
        'other machines can reach this listener without TLS: tokens and passwords are visible on the network',
      );
  }
}

/**
 * Logs a warning if users have to authenticate, but processes on this machine can bypass that through the
 * ports between nodes.
 */
export function warnOfOpenNodePorts(
  { clusterToken, tls }: NodeCredentials,
  { mode }: Authenticator,
  log: Logger,
): void {
  if (mode === 'disabled' || clusterToken !== undefined || tls !== undefined) return;
  log.warn(
    {},
    'the ports between nodes have no authentication: anyone who can run a program on this machine can read and change every table; give all nodes a cluster token (TESSERA_CLUSTER_TOKEN) or TLS (--cluster-tls-ca and its relatives)',
  );
}
