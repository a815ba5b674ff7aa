import { resolve } from 'node:path';
import type { EngineConfig } from '@tessera/config';
import { Command } from 'commander';
import {
  DEFAULT_HEALTH_PORT,
  DEFAULT_HTTP_PORT,
  DEFAULT_METRICS_PORT,
  type ServeOptions,
} from '../serve-options.ts';
import { endAtSignals } from '../shutdown-signal.ts';
import { type ClusterTlsFlags, clusterTlsOf, withClusterTls } from './cluster-tls-flags.ts';
import { CommandFailure, EXIT } from './exit-code.ts';
import { commandConfig } from './load-config.ts';
import { takeLocalFileKey } from './local-file-key.ts';
import { port, wholeNumber } from './numbers.ts';

interface Flags extends ClusterTlsFlags {
  config?: string;
  dataDir: string;
  node: number;
  httpPort?: number;
  postgresPort?: number;
  tlsCert?: string;
  tlsKey?: string;
  healthPort: number;
  metricsPort: number;
  storageManagerPort?: number;
  storageAgentPort?: number;
  distexecPort?: number;
  shufflePort?: number;
  insecureCluster?: true;
  listenHost?: string;
  drainDelay: number;
  resultCacheBytes?: number;
  subresultCacheBytes?: number;
  exchangeBufferBytes?: number;
  allowRead?: string[];
  allowUrl?: string[];
  allowWrite?: string[];
}

const EXAMPLES = `
Examples:
  tessera serve
  tessera serve --http-port 4000 --data-dir /var/lib/tessera
  tessera serve --config tessera.yaml --node 1
  tessera serve --postgres-port 5432
  tessera serve --config tessera.yaml --listen-host 0.0.0.0 --tls-cert node.pem --tls-key node.key
  tessera serve --allow-read ./exports --allow-url https://data.example.com/

Without --config every parameter has its default: a single node that listens on localhost only, without authentication.
SIGTERM or Ctrl-C stops it gracefully; SIGHUP reopens its log files and reloads its certificate.`;

const repeated = (value: string, before: string[] = []) => [...before, value];

export function serveCommand(): Command {
  return withClusterTls(
    new Command('serve')
      .description('Run a node.')
      .option('-c, --config <file>', 'configuration file (YAML or JSON)')
      .option('--data-dir <dir>', 'directory for the files of the node', 'tessera-data')
      .option('--node <n>', 'index of this node in engine.nodes, from 0', wholeNumber(0, 65_535), 0)
      .option(
        '--http-port <port>',
        `port of the query API, 0 for any free one (default: ${DEFAULT_HTTP_PORT})`,
        port,
      )
      .option(
        '--postgres-port <port>',
        'port of the PostgreSQL protocol, 0 for any free one (default: the listeners of the configuration)',
        port,
      )
      .option('--health-port <port>', 'port of /health/live and /health/ready', port, DEFAULT_HEALTH_PORT)
      .option('--metrics-port <port>', 'port of /metrics', port, DEFAULT_METRICS_PORT)
      .option(
        '--storage-manager-port <port>',
        'port of the storage manager, 0 for any free one (default: that of engine.nodes)',
        port,
      )
      .option(
        '--storage-agent-port <port>',
        'port of the storage agent, 0 for any free one (default: that of engine.nodes)',
        port,
      )
      .option(
        '--distexec-port <port>',
        'port for tasks of other nodes, 0 for any free one (default: that of engine.nodes)',
        port,
      )
      .option(
        '--shuffle-port <port>',
        'port for the exchange of rows with other nodes, 0 for any free one (default: that of engine.nodes)',
        port,
      ),
    'of this node',
  )
    .option('--insecure-cluster', 'accept other machines without a cluster token and without TLS')
    .option(
      '--tls-cert <file>',
      'certificate chain of the ports for clients (PEM; default: TESSERA_TLS_CERT)',
    )
    .option('--tls-key <file>', 'private key of the certificate (PEM; default: TESSERA_TLS_KEY)')
    .option('--listen-host <host>', 'address to listen on (default: localhost only)')
    .option(
      '--drain-delay <seconds>',
      'after SIGTERM, seconds during which the node still accepts statements but reports that it is not ready',
      wholeNumber(0, 3_600),
      0,
    )
    .option(
      '--result-cache-bytes <bytes>',
      'memory for results that later queries reuse, 0 for none (default: an eighth of the share of the node process)',
      wholeNumber(0, Number.MAX_SAFE_INTEGER),
    )
    .option(
      '--subresult-cache-bytes <bytes>',
      'memory of the kernel for rows of parts of queries that later queries reuse, 0 for none (default: a 32nd of the memory of the kernel, none with --result-cache-bytes 0)',
      wholeNumber(0, Number.MAX_SAFE_INTEGER),
    )
    .option(
      '--exchange-buffer-bytes <bytes>',
      'locked memory for rows that nodes exchange, in each of two processes, 0 for none (default: 64 MiB, or less if the memory is small)',
      wholeNumber(0, Number.MAX_SAFE_INTEGER),
    )
    .option('--allow-read <dir>', 'directory that statements may read; repeatable', repeated)
    .option('--allow-url <prefix>', 'URL prefix that statements may read; repeatable', repeated)
    .option('--allow-write <place>', 'directory or URL prefix that COPY TO may write; repeatable', repeated)
    .allowExcessArguments(false)
    .addHelpText('after', EXAMPLES)
    .action(async (flags: Flags) => {
      endAtSignals();
      const options = await serveOptions(flags);
      // The engine is imported here so that the other commands start without loading it.
      const { serve } = await import('../serve.ts');
      await serve(options);
    });
}

/** Combines the flags with the configuration file that they name. */
async function serveOptions(flags: Flags): Promise<ServeOptions> {
  const { config, loaded, configWarnings } = await commandConfig(flags.config);
  const { configurationValues, showConfig } = await import('@tessera/config');
  const pending = loaded === undefined ? [] : showConfig(loaded, { defaults: false }).notYetInEffect;
  checkNode(config, flags.node);
  const { allowRead = [], allowUrl = [], allowWrite = [] } = flags;
  for (const prefix of allowUrl) checkUrlPrefix(prefix);
  return {
    config,
    configPath: flags.config === undefined ? undefined : resolve(flags.config),
    configuration: configurationValues(loaded ?? { config, given: {} }),
    notYetInEffect: pending.map(({ path }) => path),
    configWarnings,
    dataDirectory: resolve(flags.dataDir),
    node: flags.node,
    httpPort: flags.httpPort,
    postgresPort: flags.postgresPort,
    healthPort: flags.healthPort,
    metricsPort: flags.metricsPort,
    storageManagerPort: flags.storageManagerPort,
    storageAgentPort: flags.storageAgentPort,
    distexecPort: flags.distexecPort,
    shufflePort: flags.shufflePort,
    tls: {
      certificate: flags.tlsCert ?? process.env.TESSERA_TLS_CERT,
      key: flags.tlsKey ?? process.env.TESSERA_TLS_KEY,
    },
    clusterTls: clusterTlsOf(flags),
    insecureCluster: flags.insecureCluster === true,
    listenHost: flags.listenHost,
    drainDelayMs: 1_000 * flags.drainDelay,
    resultCacheBytes: flags.resultCacheBytes,
    subresultCacheBytes: flags.subresultCacheBytes,
    exchangeBufferBytes: flags.exchangeBufferBytes,
    allowRead: allowRead.map((directory) => resolve(directory)),
    allowUrl,
    localFileKey: takeLocalFileKey(),
    allowWrite: allowWrite.map((place) => (place.includes('://') ? place : resolve(place))),
  };
}

function checkNode(config: EngineConfig, node: number): void {
  const count = config.engine.nodes?.length ?? 1;
  if (node < count) return;
  throw new CommandFailure(
    EXIT.usage,
    `error: --node ${node}: engine.nodes has ${count === 1 ? 'one node, number 0' : `${count} nodes, numbers 0 to ${count - 1}`}`,
  );
}

const READABLE_SCHEMES = ['http:', 'https:', 's3:', 'gs:', 'azure:'];

function checkUrlPrefix(prefix: string): void {
  if (READABLE_SCHEMES.includes(URL.parse(prefix)?.protocol ?? '')) return;
  throw new CommandFailure(
    EXIT.usage,
    `error: --allow-url ${prefix}: expected an http://, https://, s3://, gs:// or azure:// URL`,
  );
}
