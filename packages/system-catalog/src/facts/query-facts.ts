import type { NodeName, QueryId, RequestId } from '@tessera/common';

/** What statements read, as the statistics of an answer and the query history show it. */
export interface ScanTotals {
  /**
   * The rows of tablets, granules and files, before conditions on rows; rows of CSV, TSV, JSON and text files
   * are not counted.
   */
  readonly rows: number;
  /** Stored bytes of managed tables that were on the node, on disk or in memory. */
  readonly bytesFromCache: number;
  /** Stored bytes of managed tables that were fetched from the object store. */
  readonly bytesFromStorage: number;
  /** Bytes of files outside the managed store: uploads, external tables, READ_* functions. */
  readonly bytesFromFiles: number;
}

export const scannedBytes = ({ bytesFromCache, bytesFromStorage, bytesFromFiles }: ScanTotals): number =>
  bytesFromCache + bytesFromStorage + bytesFromFiles;

/** How far the running statement of a query is. */
export interface QueryProgress {
  /** The part of the work that is done, 0 to 100; it never decreases. Undefined while it is unknown. */
  readonly percent: number | undefined;
  /** Empty for a statement that runs on one node. */
  readonly stages: readonly {
    readonly state: 'waiting' | 'running' | 'finished';
    readonly tasks: number;
    readonly tasksFinished: number;
  }[];
  /** The number of nodes that work on it. */
  readonly nodes: number;
  /** The rows and bytes of tables and files that have been read, about. */
  readonly rowsRead: number;
  readonly bytesRead: number;
}

/** The facts about a running or finished query. */
export interface QueryFacts {
  readonly queryId: QueryId;
  readonly requestId: RequestId;
  readonly label: string;
  readonly user: string;
  /** The ULID of the user; undefined if authentication is off. */
  readonly userId?: string | undefined;
  /** The text without its secrets, truncated to 64 Ki characters. */
  readonly text: string;
  readonly submittedAt: Date;
  /** Undefined until the statement starts to run. */
  readonly startedAt: Date | undefined;
  readonly scanned: ScanTotals;
  readonly insertedRows: number;
  readonly insertedBytes: number;
  readonly spilledBytes: number;
  /** Whether the result of one of its statements was taken from the cache of results. */
  readonly isReused: boolean;
  readonly returnedRows: number;
  readonly returnedBytes: number;
  readonly retries: number;
  /** Whether it waits to be admitted. */
  readonly isQueued: boolean;
  /** How long its statements waited to be admitted, in microseconds. */
  readonly queuedMicroseconds: number;
  /** Undefined for a query that has ended. */
  readonly progress?: QueryProgress | undefined;
}

export interface FinishedQuery extends QueryFacts {
  /** The name of the node that coordinated it. */
  readonly node: NodeName;
  readonly status: 'ENDED_SUCCESSFULLY' | 'FAILED' | 'CANCELED';
  readonly endedAt: Date;
  readonly errorMessage: string | undefined;
  /** The text with its literals removed, which is equal for similar queries. */
  readonly normalizedText: string;
  /** Whether it is SET, SHOW, USE or a read of `information_schema`. */
  readonly isSystemQuery: boolean;
}
