import type { OutputColumn, ValueFormat } from '@tessera/sql';

/** Where the messages of a connection go. */
export interface MessageSink {
  write(...pieces: readonly Uint8Array[]): void;
  readonly isFull: boolean;
  flush(): Promise<void>;
}

export interface SentRows {
  readonly rows: number;
  /** False: the limit was reached, and there may be more. */
  readonly ended: boolean;
}

/** Rows of a statement under way, sent as far as they are asked for. */
export interface RowSource {
  readonly columns: readonly OutputColumn[];
  readonly formats: readonly ValueFormat[];
  /** Sends the next rows, `limit` at most, as fast as they are taken. */
  send(sink: MessageSink, limit: number): Promise<SentRows>;
  /** Frees what the statement holds; it may be under way. May be called again. */
  close(): Promise<void>;
}
