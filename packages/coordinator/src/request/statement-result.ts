import type { OutputColumn } from '@tessera/sql';

/** A piece of a result body, in the request's encoding. */
export interface ResultChunk {
  readonly bytes: Uint8Array;
  readonly rows: number;
  /** Lets the memory of `bytes` be used again; who does not call it leaves that to the collector. */
  release?(): void;
}

export interface QueryStatistics {
  /** Seconds since the query was submitted. */
  readonly elapsed: number;
  /** Seconds from submission to the start of execution in the kernel. */
  readonly timeBeforeExecution: number;
  /** Seconds since then. */
  readonly timeToExecute: number;
  /** By all statements of the request so far, as `ScanTotals` has them. */
  readonly rowsRead: number;
  /** Of tables and of files. */
  readonly bytesRead: number;
  readonly bytesFromCache: number;
  readonly bytesFromStorage: number;
}

export interface RowsResult {
  readonly kind: 'rows';
  readonly columns: readonly OutputColumn[];
  /** To be consumed once; its first chunk is already there. Ends with an error when the query fails on its way. */
  readonly chunks: AsyncIterable<ResultChunk>;
  /** Rows that the statement changed, where these are what RETURNING gives of them. */
  readonly affectedRows?: number;
  statistics(): QueryStatistics;
  /** Stops the query if it still runs and frees what it holds. Always to be called; may be called again. */
  close(): Promise<void>;
}

/** What the client shall remember for its next requests: the API itself keeps no session. */
export type SessionUpdate =
  | { readonly kind: 'set'; readonly name: string; readonly value: string }
  | { readonly kind: 'remove'; readonly name: string };

export interface DoneResult {
  readonly kind: 'done';
  readonly affectedRows?: number;
  readonly session?: SessionUpdate;
}

export type StatementResult = RowsResult | DoneResult;
