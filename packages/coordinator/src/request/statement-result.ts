import type { OutputColumn } from '@tessera/sql';

/** A chunk of a result body, in the request's encoding. */
export interface ResultChunk {
  readonly bytes: Uint8Array;
  readonly rows: number;
  /** Whether it precedes the rows: a schema or a header. */
  readonly isPreamble?: boolean | undefined;
  /** Allows the memory of `bytes` to be reused; optional, otherwise the garbage collector frees it. */
  release?(): void;
}

export interface QueryStatistics {
  /** The seconds since the query was submitted. */
  readonly elapsed: number;
  /** The seconds from submission to the start of execution in the kernel. */
  readonly timeBeforeExecution: number;
  /** The seconds since the start of execution. */
  readonly timeToExecute: number;
  /** The total of all statements of the request so far, as in `ScanTotals`. */
  readonly rowsRead: number;
  /** The bytes of tables and files. */
  readonly bytesRead: number;
  readonly bytesFromCache: number;
  readonly bytesFromStorage: number;
  /** Whether the result of a statement of the request was taken from the cache of results. */
  readonly isReused: boolean;
  /** The number of parts of queries of the request that were read from rows of earlier queries. */
  readonly reusedParts: number;
}

export interface RowsResult {
  readonly kind: 'rows';
  readonly columns: readonly OutputColumn[];
  /**
   * May be consumed once; the first chunk is already available. It throws if the query fails while it runs.
   */
  readonly chunks: AsyncIterable<ResultChunk>;
  /** The number of rows that the statement changed, if these are the rows of RETURNING. */
  readonly affectedRows?: number;
  statistics(): QueryStatistics;
  /**
   * Stops the query if it still runs and releases its resources. Must always be called; may be called
   * repeatedly.
   */
  close(): Promise<void>;
}

/** What the client must send with its next requests: the API itself keeps no session. */
export type SessionUpdate =
  | { readonly kind: 'set'; readonly name: string; readonly value: string }
  | { readonly kind: 'remove'; readonly name: string };

export interface DoneResult {
  readonly kind: 'done';
  readonly affectedRows?: number;
  readonly session?: SessionUpdate;
}

export type StatementResult = RowsResult | DoneResult;
