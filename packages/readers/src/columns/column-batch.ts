/** Column types as they cross from a decoding thread: plain data, each with one Arrow layout. */
export type ColumnType =
  | { readonly kind: ScalarKind }
  | { readonly kind: 'decimal'; readonly precision: number; readonly scale: number }
  | { readonly kind: 'list'; readonly item: ColumnType }
  | { readonly kind: 'struct'; readonly fields: readonly ColumnField[] };

/** Timestamps and times are in microseconds; `date` in days; `interval` is Arrow's month-day-nano. */
export type ScalarKind =
  | 'boolean'
  | 'int8'
  | 'int16'
  | 'int32'
  | 'int64'
  | 'uint8'
  | 'uint16'
  | 'uint32'
  | 'uint64'
  | 'float32'
  | 'float64'
  | 'text'
  | 'binary'
  | 'date'
  | 'time'
  | 'timestamp'
  | 'timestamptz'
  | 'interval';

export interface ColumnField {
  readonly name: string;
  readonly type: ColumnType;
}

/** The buffers of one column of a batch, in Arrow's layout; `validity` is absent where nothing is null. */
export interface ColumnData {
  readonly length: number;
  readonly nullCount: number;
  readonly validity: Uint8Array<ArrayBuffer> | undefined;
  readonly offsets: Int32Array<ArrayBuffer> | undefined;
  readonly values: Uint8Array<ArrayBuffer> | undefined;
  readonly children: readonly ColumnData[];
}

export interface ColumnBatch {
  readonly rows: number;
  readonly columns: readonly ColumnData[];
}

/** What a decoder yields: first the columns' names and types, then batches in the file's order. */
export interface DecodedFile {
  readonly fields: readonly ColumnField[];
  readonly batches: Iterable<ColumnBatch> | AsyncIterable<ColumnBatch>;
}

/** A batch ends at the first of these; one row may be larger, up to the memory budget. */
export const BATCH_ROWS = 65_536;
export const BATCH_BYTES = 8 << 20;

/** The memory behind a batch, for handing it to another thread without a copy. */
export function buffersOf(columns: readonly ColumnData[]): ArrayBuffer[] {
  return columns.flatMap((column) => [
    ...[column.validity, column.offsets, column.values].flatMap((view) => (view ? [view.buffer] : [])),
    ...buffersOf(column.children),
  ]);
}

/** The file is not what it claims to be. `message` completes "Cannot read <name>: …". */
export class DecodeError extends Error {}

/** The file is sound but holds something that has no column type here. `message` completes "… is not supported". */
export class UnsupportedError extends Error {}
