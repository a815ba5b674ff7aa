import type { OutputColumn, ValueFormat } from '@tessera/sql';

/** The receiver of a connection's messages. */
export interface MessageSink {
  write(...pieces: readonly Uint8Array[]): void;
  readonly isFull: boolean;
  flush(): Promise<void>;
}

export interface SentRows {
  readonly rows: number;
  /** False if the limit was reached and more rows may follow. */
  readonly ended: boolean;
}

/** The rows of a running statement, sent on demand. */
export interface RowSource {
  readonly columns: readonly OutputColumn[];
  readonly formats: readonly ValueFormat[];
  /** Sends at most `limit` of the next rows, as fast as the client reads them. */
  send(sink: MessageSink, limit: number): Promise<SentRows>;
  /** Releases what the statement holds, even while it runs. May be called repeatedly. */
  close(): Promise<void>;
}
