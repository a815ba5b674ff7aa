import type { ConfigurationValue, EngineConfig } from '@tessera/config';
import type { ClusterTlsFiles } from '@tessera/rpc';
import type { ListenerTlsFiles } from './listener-tls.ts';

/** The default ports of a node. */
export const DEFAULT_HTTP_PORT = 3_473;
export const DEFAULT_HEALTH_PORT = 8_122;
export const DEFAULT_METRICS_PORT = 9_090;

/** The options of `tessera serve`, from its configuration file and its flags. */
export interface ServeOptions {
  readonly config: EngineConfig;
  /** The file that `config` was read from; undefined for defaults. */
  readonly configPath: string | undefined;
  /** The values of all parameters, for `information_schema.engine_configuration`. */
  readonly configuration: readonly ConfigurationValue[];
  /** The parameters in the file that have no effect in this version yet. */
  readonly notYetInEffect: readonly string[];
  /** Warnings about the configuration file. */
  readonly configWarnings: readonly string[];
  /** An absolute path; created if it does not exist. */
  readonly dataDirectory: string;
  /** The index of this node in `engine.nodes`. */
  readonly node: number;
  /**
   * Undefined means the tcp listener of the configuration, or DEFAULT_HTTP_PORT if there is no listener. 0
   * means any free port.
   */
  readonly httpPort: number | undefined;
  /** Replaces the PostgreSQL listeners of the configuration. 0 means any free port. */
  readonly postgresPort: number | undefined;
  /** 0 means any free port. */
  readonly healthPort: number;
  /** 0 means any free port. */
  readonly metricsPort: number;
  /** Overrides the port in `engine.nodes`. 0 means any free port. */
  readonly storageManagerPort: number | undefined;
  /** Overrides the port in `engine.nodes`. 0 means any free port. */
  readonly storageAgentPort: number | undefined;
  /** Overrides the port in `engine.nodes`. 0 means any free port. */
  readonly distexecPort: number | undefined;
  /** Overrides the port in `engine.nodes`. 0 means any free port. */
  readonly shufflePort: number | undefined;
  /** The certificate of the client listeners; without files they are not encrypted. */
  readonly tls: ListenerTlsFiles;
  /** PEM files, which override those of the environment. */
  readonly clusterTls: ClusterTlsFiles;
  /**
   * Whether other machines are answered at the ports between nodes although there is neither a cluster token
   * nor TLS.
   */
  readonly insecureCluster: boolean;
  /** The address to listen on; undefined means loopback. */
  readonly listenHost: string | undefined;
  /**
   * How long the node still accepts statements after it is told to stop, in milliseconds, so that load
   * balancers notice.
   */
  readonly drainDelayMs: number;
  /** Memory for results that later queries may reuse, in bytes; 0 keeps none. Undefined means a share of the node's memory. */
  readonly resultCacheBytes: number | undefined;
  /**
   * Memory of the kernel for rows of parts of queries that later queries may reuse, in bytes; 0 keeps none. Undefined means a share
   * of the kernel's memory, or none if no results are kept.
   */
  readonly subresultCacheBytes: number | undefined;
  /**
   * The exchange buffers of the node process, and those of the kernel process, in bytes; 0 for none. Undefined means the default.
   */
  readonly exchangeBufferBytes: number | undefined;
  /** The absolute paths of directories that read functions may read. */
  readonly allowRead: readonly string[];
  /** The URL prefixes that read functions may read. */
  readonly allowUrl: readonly string[];
  /** Requests with this key may refer to any file of this machine instead of uploading it; undefined if none may. */
  readonly localFileKey?: string | undefined;
  /** The absolute paths of directories and the URL prefixes that COPY TO may write. */
  readonly allowWrite: readonly string[];
}

/** Resolves when the server has shut down. */
export type Serve = (options: ServeOptions) => Promise<void>;
