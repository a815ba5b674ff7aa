import { defaultConfig, loadConfig } from '@tessera/config';
import { Command } from 'commander';
import { endAtSignals } from '../shutdown-signal.ts';
import { port } from './numbers.ts';

interface Flags {
  config?: string;
  host?: string;
  port?: number;
  clusterTlsCa?: string;
  clusterTlsCert?: string;
  clusterTlsKey?: string;
  insecureCluster?: true;
}

const EXAMPLES = `
Examples:
  tessera broadcast --port 7000
  TESSERA_CLUSTER_TOKEN_FILE=/etc/tessera/token tessera broadcast --config tessera.yaml --host 0.0.0.0

The service connects the clusters of an engine that name it in engine.multi_cluster.broadcast_endpoint: running queries,
histories, metrics and nodes are shown for all clusters, and CANCEL QUERY reaches all of them. It keeps no data and may be
restarted at any time; while it is away, each cluster shows only itself, with a warning.`;

export function broadcastCommand(): Command {
  return new Command('broadcast')
    .description('Run the service that connects the clusters of an engine.')
    .option('-c, --config <file>', 'configuration file (YAML or JSON)')
    .option('--host <host>', 'address to listen on (default: localhost only)')
    .option(
      '--port <port>',
      'port to listen on, 0 for any free one (default: that of engine.multi_cluster.broadcast_endpoint, else 7000)',
      port,
    )
    .option('--cluster-tls-ca <file>', 'certificate authority of the nodes (PEM)')
    .option('--cluster-tls-cert <file>', 'certificate of this service (PEM)')
    .option('--cluster-tls-key <file>', 'private key of the certificate (PEM)')
    .option('--insecure-cluster', 'accept other machines without a cluster token and without TLS')
    .allowExcessArguments(false)
    .addHelpText('after', EXAMPLES)
    .action(async (flags: Flags) => {
      endAtSignals();
      const { serveBroadcast } = await import('../broadcast.ts');
      await serveBroadcast({
        config: flags.config === undefined ? defaultConfig() : (await loadConfig(flags.config)).config,
        host: flags.host,
        port: flags.port,
        clusterTls: { ca: flags.clusterTlsCa, certificate: flags.clusterTlsCert, key: flags.clusterTlsKey },
        insecure: flags.insecureCluster === true,
      });
    });
}
