import type { Workload } from '@tessera/workloads';

/** A system that answers the queries of a workload, measured beside Tessera in the same run, over the same rows. */
export interface Peer {
  /** `DuckDB`. */
  readonly name: string;
  readonly version: string;
  /** Makes the tables of the workload and fills them from the Parquet files of `directory` (`<table>.parquet`). */
  load(workload: Workload, directory: string): Promise<void>;
  /** Runs one query and fetches all of its rows. @throws Error with the peer's message, such as for SQL it does not have */
  run(sql: string): Promise<PeerRun>;
  /** Stops what was started, and removes what it stored. */
  stop(): Promise<void>;
}

export interface PeerRun {
  /** From sending the query to having the last row. */
  readonly milliseconds: number;
  /** In the order they came, values as text, NULL as undefined. */
  readonly rows: readonly (readonly (string | undefined)[])[];
}

export interface PeerKind {
  /** As `--peers` names it: `duckdb`, `clickhouse`, `postgres`. */
  readonly name: string;
  /** Why it cannot run on this machine, and what to install; undefined where it can. */
  missing(): Promise<string | undefined>;
  start(): Promise<Peer>;
}
