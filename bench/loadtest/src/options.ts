/** What the command line says about how to measure; every benchmark takes from it what concerns it. */
export interface RunOptions {
  /** Measures this server instead of starting one. */
  readonly url: string | undefined;
  /** At endpoints that run already: its password is in the environment, and buys a token for each benchmark. */
  readonly user: string | undefined;
  /** Sent to endpoints that run already, where there is no user. */
  readonly token: string | undefined;
  /** Shrinks data and times to this part of the full size: above 0, at most 1. */
  readonly scale: number;
  /** Of the query suites: 1 is 1 GB of TPC-H. Each suite has a default of its own, times `scale`. */
  readonly scaleFactor: number | undefined;
  /** Each benchmark has a default of its own. */
  readonly runs: number | undefined;
  /** By the names of {@link PEER_KINDS}. */
  readonly peers: readonly string[];
  /** Endpoints that run already and are measured as peers, by the names the report gives them. */
  readonly peerUrls: Readonly<Record<string, string>>;
  /** Sizes of clusters, of benchmarks that start some. */
  readonly nodes: readonly number[] | undefined;
  /** Of the query suites; all of them unless said otherwise. */
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
  queries: undefined,
  seed: 1,
};
