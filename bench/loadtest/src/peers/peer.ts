import type { Workload } from '@tessera/workloads';

/**
 * A system that answers the queries of a workload, measured in the same run over the same rows as the others.
 */
export interface Peer {
  /** The title in tables and charts, such as `DuckDB`. */
  readonly name: string;
  readonly version: string;
  /**
   * The root of the process tree that does the work, if it runs on this machine. It changes with a restart.
   */
  readonly pid: number | undefined;
  /** The key of queries that are written differently for this system. */
  readonly dialect?: 'clickhouse' | 'postgresql';
  /**
   * Whether quotients of decimals keep the scale of the dividend, so that its answers have fewer digits than
   * others.
   */
  readonly shortQuotients?: boolean;
  /**
   * Creates the tables of the workload and fills them from the Parquet files of `directory`
   * (`<table>.parquet`).
   */
  load(workload: Workload, directory: string, progress: (table: string) => void): Promise<void>;
  /** The stored size of the tables in bytes; undefined if it cannot be determined. */
  storedBytes(): Promise<number | undefined>;
  /** Empties the system's own caches by restarting it over its existing tables. */
  restart?(): Promise<void>;
  /** Resolves when the background work after the first use of tables is done. */
  settled?(): Promise<void>;
  /**
   * Runs one query and fetches all of its rows. @throws Error with the peer's message, for example for
   * unsupported SQL
   */
  run(sql: string, limitMs: number): Promise<PeerRun>;
  /** The same, but the result may be one that an earlier `runReusing` computed; absent if the system cannot do that. */
  runReusing?(sql: string, limitMs: number): Promise<PeerRun>;
  /** Stops what was started and removes its data. */
  stop(): Promise<void>;
}

export interface PeerRun {
  /** The time from sending the query to receiving the last row. */
  readonly milliseconds: number;
  /** The names of the columns, if the system reports them. */
  readonly names?: readonly string[];
  /** The rows in the order of arrival: values as text, NULL as undefined. */
  readonly values: readonly (readonly (string | undefined)[])[];
}

export interface PeerKind {
  /** The name in `--peers`: `duckdb`, `clickhouse`, `postgres`. */
  readonly name: string;
  /** A one-line description for `list`. */
  readonly about: string;
  /** The reason why it cannot run on this machine, and what to install; undefined if it can run. */
  missing(): Promise<string | undefined>;
  start(): Promise<Peer>;
}
