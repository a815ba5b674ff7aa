import { broadcastService } from '@tessera/broadcast';
import type { EngineConfig } from '@tessera/config';
import { type ClusterTlsFiles, startRpcServer } from '@tessera/rpc';
import { checkProtected } from './cluster-protection.ts';
import { logEvents, openServiceLogging } from './logged-events.ts';
import { nodeCredentials } from './node-credentials.ts';
import { shutdownSignal } from './shutdown-signal.ts';

/** The options of `tessera broadcast`. */
export interface BroadcastServerOptions {
  readonly config: EngineConfig;
  /** Warnings about the configuration file. */
  readonly configWarnings: readonly string[];
  /** Undefined means loopback. */
  readonly host: string | undefined;
  /** Undefined means the port of `engine.multi_cluster.broadcast_endpoint`, or 7000. 0 means any free port. */
  readonly port: number | undefined;
  /** PEM files, which override those of the environment. */
  readonly clusterTls: ClusterTlsFiles;
  /** Whether other machines are answered although there is neither a cluster token nor TLS. */
  readonly insecure: boolean;
}

const DEFAULT_PORT = 7_000;
const LOOPBACK = '127.0.0.1';

/** Connects the clusters of engines until it is stopped. It has no data and may be restarted at any time. */
export async function serveBroadcast(options: BroadcastServerOptions): Promise<void> {
  const { config, host = LOOPBACK } = options;
  const credentials = nodeCredentials(options.clusterTls);
  checkProtected(host, 'broadcast service', credentials, options.insecure);
  await using resources = new AsyncDisposableStack();
  const logging = openServiceLogging(config, resources);
  const log = logging.logger('broadcast');
  for (const warning of options.configWarnings) log.warn({ warning }, 'the configuration has a weakness');
  resources.defer(logEvents(logging));
  const service = broadcastService({ connected: 'clusters', credentials, log });
  resources.defer(async () => service.close());
  const endpoint = config.engine.multi_cluster?.broadcast_endpoint;
  const port = options.port ?? (endpoint === undefined ? DEFAULT_PORT : Number(endpoint.split(':').at(-1)));
  const server = await startRpcServer({ host, port, services: [service], ...credentials, log });
  resources.defer(() => server.close());
  log.info(
    { address: `${host}:${server.port}`, encrypted: credentials.tls !== undefined },
    'connecting clusters',
  );
  process.stdout.write(`Broadcast service on ${host}:${server.port}\n`);
  const reason = await shutdownSignal();
  log.info({ reason }, 'stopping');
}
