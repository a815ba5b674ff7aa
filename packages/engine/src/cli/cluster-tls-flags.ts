import type { ClusterTlsFiles } from '@tessera/rpc';
import type { Command } from 'commander';

/** The values of the flags that `withClusterTls` adds. */
export interface ClusterTlsFlags {
  clusterTlsCa?: string;
  clusterTlsCert?: string;
  clusterTlsKey?: string;
}

/**
 * Adds the flags for TLS between nodes to a command.
 * @param purpose completes the description of the certificate: `of this node`
 */
export const withClusterTls = (command: Command, purpose: string): Command =>
  command
    .option('--cluster-tls-ca <file>', 'certificate authority of the nodes (PEM)')
    .option('--cluster-tls-cert <file>', `certificate ${purpose} (PEM)`)
    .option('--cluster-tls-key <file>', 'private key of the certificate (PEM)');

export const clusterTlsOf = (flags: ClusterTlsFlags): ClusterTlsFiles => ({
  ca: flags.clusterTlsCa,
  certificate: flags.clusterTlsCert,
  key: flags.clusterTlsKey,
});
