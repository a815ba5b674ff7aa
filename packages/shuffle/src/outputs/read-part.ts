/** An Arrow Schema message with the dictionaries behind it, or a batch of rows, which is good until it is released. */
export type ReadPart = Uint8Array | ReadBatch;

export interface ReadBatch {
  /** Encapsulated Arrow RecordBatch message. */
  readonly ipc: Uint8Array;
  readonly rows: number;
  release(): void;
}
