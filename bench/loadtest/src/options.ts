/** The measurement options of the command line; each benchmark uses those that concern it. */
export interface RunOptions {
  /** If set, this server is measured and none is started. */
  readonly url: string | undefined;
  /**
   * The user for endpoints that already run: the password is in the environment and buys a token for each
   * benchmark.
   */
  readonly user: string | undefined;
  /** The token for endpoints that already run, if there is no user. */
  readonly token: string | undefined;
  /** The fraction of the full size for data and times: above 0, at most 1. */
  readonly scale: number;
  /**
   * The scale factor of the query suites: 1 is 1 GB of TPC-H. The default is that of the suite times `scale`.
   */
  readonly scaleFactor: number | undefined;
  /** The default depends on the benchmark. */
  readonly runs: number | undefined;
  /** The peers, by the names of {@link PEER_KINDS}. */
  readonly peers: readonly string[];
  /** Endpoints that already run and are measured as peers, by their names in the report. */
  readonly peerUrls: Readonly<Record<string, string>>;
  /** The sizes of the clusters that benchmarks start. */
  readonly nodes: readonly number[] | undefined;
  /** The `max_server_memory_usage` of each node of a cluster; undefined means the default. */
  readonly nodeMemory: string | undefined;
  /** The queries of the query suites; all by default. */
  readonly queries: readonly string[] | undefined;
  /** The same seed gives the same random choices. */
  readonly seed: number;
}

export const DEFAULT_OPTIONS: RunOptions = {
  url: undefined,
  user: undefined,
  token: undefined,
  scale: 1,
  scaleFactor: undefined,
  runs: undefined,
  peers: ['duckdb', 'parquet'],
  peerUrls: {},
  nodes: undefined,
  nodeMemory: undefined,
  queries: undefined,
  seed: 1,
};
