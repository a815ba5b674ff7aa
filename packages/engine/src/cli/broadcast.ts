import { Command } from 'commander';
import { endAtSignals } from '../shutdown-signal.ts';
import { type ClusterTlsFlags, clusterTlsOf, withClusterTls } from './cluster-tls-flags.ts';
import { commandConfig } from './load-config.ts';
import { port } from './numbers.ts';

interface Flags extends ClusterTlsFlags {
  config?: string;
  host?: string;
  port?: number;
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
  return withClusterTls(
    new Command('broadcast')
      .description('Run the service that connects the clusters of an engine.')
      .option('-c, --config <file>', 'configuration file (YAML or JSON)')
      .option('--host <host>', 'address to listen on (default: localhost only)')
      .option(
        '--port <port>',
        'port to listen on, 0 for any free one (default: that of engine.multi_cluster.broadcast_endpoint, else 7000)',
        port,
      ),
    'of this service',
  )
    .option('--insecure-cluster', 'accept other machines without a cluster token and without TLS')
    .allowExcessArguments(false)
    .addHelpText('after', EXAMPLES)
    .action(async (flags: Flags) => {
      endAtSignals();
      const { config, configWarnings } = await commandConfig(flags.config);
      const { serveBroadcast } = await import('../broadcast.ts');
      await serveBroadcast({
        config,
        configWarnings,
        host: flags.host,
        port: flags.port,
        clusterTls: clusterTlsOf(flags),
        insecure: flags.insecureCluster === true,
      });
    });
}
