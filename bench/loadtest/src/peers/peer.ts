import type { Workload } from '@tessera/workloads';

/** A system that answers the queries of a workload, measured beside others in the same run, over the same rows. */
export interface Peer {
  /** `DuckDB`; a title of columns and of lines in charts. */
  readonly name: string;
  readonly version: string;
  /** The process whose tree does the work, where that is on this machine. It changes with a restart. */
  readonly pid: number | undefined;
  /** By which queries say what they are for it, where they differ from system to system. */
  readonly dialect?: 'clickhouse' | 'postgresql';
  /** Quotients of decimals keep the scale of the dividend, so that its answers have fewer digits than those of others. */
  readonly shortQuotients?: boolean;
  /** Makes the tables of the workload and fills them from the Parquet files of `directory` (`<table>.parquet`). */
  load(workload: Workload, directory: string, progress: (table: string) => void): Promise<void>;
  /** Bytes that the tables take where they are kept; undefined where there is no telling. */
  storedBytes(): Promise<number | undefined>;
  /** Empties the system's own caches by starting it anew over the tables that it has. */
  restart?(): Promise<void>;
  /** Resolves when it has done what it does by itself after tables were first used. */
  settled?(): Promise<void>;
  /** Runs one query and fetches all of its rows. @throws Error with the peer's message, such as for SQL it does not have */
  run(sql: string, limitMs: number): Promise<PeerRun>;
  /** Stops what was started, and removes what it stored. */
  stop(): Promise<void>;
}

export interface PeerRun {
  /** From sending the query to having the last row. */
  readonly milliseconds: number;
  /** Names of the columns, where the system tells. */
  readonly names?: readonly string[];
  /** In the order they came, values as text, NULL as undefined. */
  readonly values: readonly (readonly (string | undefined)[])[];
}

export interface PeerKind {
  /** As `--peers` names it: `duckdb`, `clickhouse`, `postgres`. */
  readonly name: string;
  /** One line for `list`. */
  readonly about: string;
  /** Why it cannot run on this machine, and what to install; undefined where it can. */
  missing(): Promise<string | undefined>;
  start(): Promise<Peer>;
}
