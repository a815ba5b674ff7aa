import { resolve } from 'node:path';
import { Command } from 'commander';
import type { MetadataOptions } from '../metadata.ts';
import { endAtSignals } from '../shutdown-signal.ts';
import { type ClusterTlsFlags, clusterTlsOf, withClusterTls } from './cluster-tls-flags.ts';
import { commandConfig } from './load-config.ts';
import { port } from './numbers.ts';

interface Flags extends ClusterTlsFlags {
  config?: string;
  dataDir: string;
  host?: string;
  port?: number;
  address?: string;
  metricsPort?: number;
  insecureCluster?: true;
}

const EXAMPLES = `
Examples:
  tessera metadata --config tessera.yaml
  TESSERA_CLUSTER_TOKEN_FILE=/etc/tessera/token tessera metadata --config tessera.yaml --host 0.0.0.0

The service keeps the metadata log in the object storage of the configuration or, without a storage block, in --data-dir.
It serves the engines that have instance.type: multi_engine and name it in instance.multi_engine.metadata_endpoint.
SIGTERM or Ctrl-C stops it after the commits in progress. A second service on the same bucket follows the first and takes
over as soon as the first is told to stop: start the new one before you stop the old one to avoid an interruption.
It also connects the engines: information_schema shows the nodes and queries of all of them, and CANCEL QUERY reaches all.`;

export function metadataCommand(): Command {
  return withClusterTls(
    new Command('metadata')
      .description('Run a metadata service shared by several engines.')
      .option('-c, --config <file>', 'configuration file (YAML or JSON)')
      .option('--data-dir <dir>', 'directory of its files', 'tessera-metadata')
      .option('--host <host>', 'address to listen on (default: localhost only)')
      .option(
        '--port <port>',
        'port to listen on, 0 for any free one (default: that of instance.multi_engine.metadata_endpoint)',
        port,
      )
      .option(
        '--address <host:port>',
        'address at which engines reach this process, as in its certificate (default: the host and port it listens on)',
      )
      .option('--metrics-port <port>', 'port of /metrics, 0 for any free one (default: none)', port),
    'of this service',
  )
    .option('--insecure-cluster', 'accept other machines without a cluster token and without TLS')
    .allowExcessArguments(false)
    .addHelpText('after', EXAMPLES)
    .action(async (flags: Flags) => {
      endAtSignals();
      const { config, configWarnings } = await commandConfig(flags.config);
      const options: MetadataOptions = {
        config,
        configWarnings,
        dataDirectory: resolve(flags.dataDir),
        host: flags.host,
        port: flags.port,
        address: flags.address,
        metricsPort: flags.metricsPort,
        clusterTls: clusterTlsOf(flags),
        insecure: flags.insecureCluster === true,
      };
      const { serveMetadata } = await import('../metadata.ts');
      await serveMetadata(options);
    });
}
