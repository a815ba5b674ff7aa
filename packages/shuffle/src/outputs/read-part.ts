/**
 * An Arrow Schema message followed by the dictionaries, or a batch of rows, which is valid until it is
 * released.
 */
export type ReadPart = Uint8Array | ReadBatch;

export interface ReadBatch {
  /** Encapsulated Arrow RecordBatch messages. */
  readonly ipc: Uint8Array;
  readonly rows: number;
  release(): void;
}
