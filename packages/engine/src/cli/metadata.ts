import { resolve } from 'node:path';
import { defaultConfig, loadConfig } from '@tessera/config';
import { Command } from 'commander';
import type { MetadataOptions } from '../metadata.ts';
import { endAtSignals } from '../shutdown-signal.ts';
import { port } from './numbers.ts';

interface Flags {
  config?: string;
  dataDir: string;
  host?: string;
  port?: number;
  address?: string;
  metricsPort?: number;
  clusterTlsCa?: string;
  clusterTlsCert?: string;
  clusterTlsKey?: string;
  insecureCluster?: true;
}

const EXAMPLES = `
Examples:
  tessera metadata --config tessera.yaml
  TESSERA_CLUSTER_TOKEN_FILE=/etc/tessera/token tessera metadata --config tessera.yaml --host 0.0.0.0

It keeps the metadata log in the configuration's object storage, or, without a storage block, in --data-dir, and serves
the engines whose configuration says instance.type: multi_engine and names it in instance.multi_engine.metadata_endpoint.
SIGTERM or Ctrl-C stops it after the commits under way. A second service on the same bucket follows the first, and leads as soon as
the first is told to stop: start the new one before you stop the old one, and writes go on.`;

export function metadataCommand(): Command {
  return new Command('metadata')
    .description('Run the metadata service that several engines share.')
    .option('-c, --config <file>', 'configuration file (YAML or JSON)')
    .option('--data-dir <dir>', 'where it keeps its files', 'tessera-metadata')
    .option('--host <host>', 'address to listen on (default: loopback only)')
    .option(
      '--port <port>',
      'port to listen on, 0 for any free one (default: that of instance.multi_engine.metadata_endpoint)',
      port,
    )
    .option(
      '--address <host:port>',
      'where engines reach this very process, as its certificate names it (default: the host and port it listens on)',
    )
    .option('--metrics-port <port>', 'port of /metrics, 0 for any free one (default: none)', port)
    .option('--cluster-tls-ca <file>', 'authority of the certificates that nodes show each other (PEM)')
    .option('--cluster-tls-cert <file>', 'certificate of this service (PEM)')
    .option('--cluster-tls-key <file>', 'its key (PEM)')
    .option('--insecure-cluster', 'answer other machines without a cluster token and without TLS')
    .allowExcessArguments(false)
    .addHelpText('after', EXAMPLES)
    .action(async (flags: Flags) => {
      endAtSignals();
      const loaded = flags.config === undefined ? undefined : await loadConfig(flags.config);
      const options: MetadataOptions = {
        config: loaded?.config ?? defaultConfig(),
        configWarnings: (loaded?.warnings ?? []).map(({ path, message }) => `${path}: ${message}`),
        dataDirectory: resolve(flags.dataDir),
        host: flags.host,
        port: flags.port,
        address: flags.address,
        metricsPort: flags.metricsPort,
        clusterTls: { ca: flags.clusterTlsCa, certificate: flags.clusterTlsCert, key: flags.clusterTlsKey },
        insecure: flags.insecureCluster === true,
      };
      const { serveMetadata } = await import('../metadata.ts');
      await serveMetadata(options);
    });
}
