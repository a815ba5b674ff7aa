import { hostname, networkInterfaces } from 'node:os';
import { broadcastService } from '@tessera/broadcast';
import { TesseraError } from '@tessera/common';
import { type EngineConfig, storageIsLocal } from '@tessera/config';
import { createMetricsServer } from '@tessera/http-api';
import { openObjectStore } from '@tessera/object-store';
import { type ClusterTlsFiles, startRpcServer } from '@tessera/rpc';
import {
  type LogStatus,
  locationCredentials,
  openStorageManager,
  type ServedStorageManager,
  storageManagerService,
} from '@tessera/storage-manager';
import { checkProtected } from './cluster-protection.ts';
import { lockDataDirectory } from './data-directory.ts';
import { logEvents, openServiceLogging } from './logged-events.ts';
import { logGauges } from './metrics/node-gauges.ts';
import { ServedMetrics } from './metrics/served-metrics.ts';
import { nodeCredentials } from './node-credentials.ts';
import { shutdownSignal } from './shutdown-signal.ts';

/** The options of `tessera metadata`. */
export interface MetadataOptions {
  readonly config: EngineConfig;
  /** Warnings about the configuration file. */
  readonly configWarnings: readonly string[];
  /** An absolute path; created if it does not exist. */
  readonly dataDirectory: string;
  /** Undefined means loopback. */
  readonly host: string | undefined;
  /**
   * Undefined means the port of `instance.multi_engine.metadata_endpoint`, or 1717. 0 means any free port.
   */
  readonly port: number | undefined;
  /**
   * The `host:port` at which engines and other metadata services reach this process. Undefined means the host
   * and port it listens on.
   */
  readonly address: string | undefined;
  /** Undefined means no metrics page. 0 means any free port. */
  readonly metricsPort: number | undefined;
  /** PEM files, which override those of the environment. */
  readonly clusterTls: ClusterTlsFiles;
  /** Whether other machines are answered although there is neither a cluster token nor TLS. */
  readonly insecure: boolean;
}

const DEFAULT_PORT = 1_717;
const LOOPBACK = '127.0.0.1';

/** The metrics of a metadata service: those of a node about the log and the object store. */
class MetadataMetrics extends ServedMetrics {
  observe(log: () => LogStatus): void {
    logGauges(this.set, log);
  }
}

/** Serves the metadata log to engines until it is stopped; running commits are answered first. */
export async function serveMetadata(options: MetadataOptions): Promise<void> {
  const { config, dataDirectory, host = LOOPBACK, port } = options;
  const credentials = nodeCredentials(options.clusterTls);
  checkProtected(host, 'metadata service', credentials, options.insecure);
  await using resources = new AsyncDisposableStack();
  const logging = openServiceLogging(config, resources);
  const log = logging.logger('metadata');
  for (const warning of options.configWarnings) log.warn({ warning }, 'the configuration has a weakness');
  resources.defer(await lockDataDirectory(dataDirectory));
  resources.defer(logEvents(logging));
  const metrics = new MetadataMetrics(config.engine.id);
  resources.defer(async () => metrics.close());
  let catalog: ServedStorageManager | undefined;
  const store = await openObjectStore(config, {
    dataDirectory,
    locations: locationCredentials(() => catalog),
  });
  resources.defer(() => store.close());
  const endpoint = config.instance.multi_engine?.metadata_endpoint;
  const manager = await openStorageManager({
    store,
    config,
    exclusive: storageIsLocal(config),
    metadataService: true,
    address: options.address ?? ownAddress(host, port ?? portOf(endpoint)),
    ...credentials,
    log,
  });
  catalog = manager;
  resources.defer(() => manager.close());
  const engines = broadcastService({
    connected: 'engines',
    refusal: () => (manager.status.role === 'leader' ? undefined : notLeading()),
    credentials,
    log: logging.logger('broadcast'),
  });
  resources.defer(async () => engines.close());
  const server = await startRpcServer({
    host,
    port: port ?? portOf(endpoint),
    services: [storageManagerService(manager), engines],
    ...credentials,
    tableStore: manager.store,
    log,
  });
  resources.defer(() => server.close());
  if (options.metricsPort !== undefined) {
    metrics.observe(() => manager.status);
    const app = createMetricsServer(metrics);
    const url = await app.listen({ host, port: options.metricsPort });
    resources.defer(() => app.close());
    log.info({ url }, 'serving metrics');
  }
  log.info({ address: `${host}:${server.port}`, store: store.url }, 'serving metadata');
  process.stdout.write(`Metadata service on ${host}:${server.port}\n`);

  const reason = await shutdownSignal();
  log.info({ reason }, 'stopping');
  // The manager is closed before the port, so that clients are directed to the next leader meanwhile.
  await manager.close();
}

/** Engines announce themselves to one service only, because each knows only the engines that it has heard of itself. */
const notLeading = (): TesseraError =>
  TesseraError.of('METADATA_UNAVAILABLE', { reason: 'this metadata service does not lead the metadata log' });

/**
 * The address of this very process, while `metadata_endpoint` may denote several. Empty if the port is not
 * known yet.
 */
function ownAddress(host: string, port: number): string {
  if (port === 0) return '';
  const isAny = host === '0.0.0.0' || host === '::';
  const reached = isAny ? (machineAddress() ?? hostname()) : host;
  return `${reached.includes(':') ? `[${reached}]` : reached}:${port}`;
}

function machineAddress(): string | undefined {
  const addresses = Object.values(networkInterfaces()).flatMap((all) => all ?? []);
  return addresses.find(({ internal, family }) => !internal && family === 'IPv4')?.address;
}

function portOf(endpoint: string | undefined): number {
  return endpoint === undefined ? DEFAULT_PORT : Number(endpoint.slice(endpoint.lastIndexOf(':') + 1));
}
