import type { EngineConfig } from '@tessera/config';
import type { ClusterTlsFiles } from '@tessera/rpc';
import type { ListenerTlsFiles } from './listener-tls.ts';

/** The ports of a node that is told nothing else. */
export const DEFAULT_HTTP_PORT = 3_473;
export const DEFAULT_HEALTH_PORT = 8_122;
export const DEFAULT_METRICS_PORT = 9_090;

/** What `tessera serve` was told, by its configuration file and its flags. */
export interface ServeOptions {
  readonly config: EngineConfig;
  /** The file `config` came from; undefined: defaults. */
  readonly configPath: string | undefined;
  /** Paths of the parameters that the file sets and this version does not act on yet. */
  readonly notYetInEffect: readonly string[];
  /** What is odd about the configuration file without being wrong. */
  readonly configWarnings: readonly string[];
  /** Absolute path; made when it does not exist. */
  readonly dataDirectory: string;
  /** Index of this node in `engine.nodes`. */
  readonly node: number;
  /** Undefined: the tcp listener of the configuration, or DEFAULT_HTTP_PORT when it lists no listener. 0: any free port. */
  readonly httpPort: number | undefined;
  /** In place of the PostgreSQL listeners of the configuration. 0: any free port. */
  readonly postgresPort: number | undefined;
  /** 0: any free port. */
  readonly healthPort: number;
  /** 0: any free port. */
  readonly metricsPort: number;
  /** In place of the one in `engine.nodes`. 0: any free port. */
  readonly storageManagerPort: number | undefined;
  /** In place of the one in `engine.nodes`. 0: any free port. */
  readonly storageAgentPort: number | undefined;
  /** In place of the one in `engine.nodes`. 0: any free port. */
  readonly distexecPort: number | undefined;
  /** In place of the one in `engine.nodes`. 0: any free port. */
  readonly shufflePort: number | undefined;
  /** Of the listeners for clients; without files they are not encrypted. */
  readonly tls: ListenerTlsFiles;
  /** PEM files, in place of those that the environment names. */
  readonly clusterTls: ClusterTlsFiles;
  /** Whether other machines are answered at the ports between nodes although there is neither a cluster token nor TLS. */
  readonly insecureCluster: boolean;
  /** Address to listen on; undefined: loopback. */
  readonly listenHost: string | undefined;
  /** How long it still takes statements when it is told to stop, for load balancers to hear of it; in milliseconds. */
  readonly drainDelayMs: number;
  /** Absolute paths of directories that read functions may read from. */
  readonly allowRead: readonly string[];
  /** URL prefixes that read functions may read from. */
  readonly allowUrl: readonly string[];
  /** Absolute paths of directories and URL prefixes that COPY TO may write. */
  readonly allowWrite: readonly string[];
}

/** Resolves when the server has shut down. */
export type Serve = (options: ServeOptions) => Promise<void>;
