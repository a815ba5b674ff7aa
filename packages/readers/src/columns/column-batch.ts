/** Column types in the messages of a decoding thread: plain data, each with exactly one Arrow layout. */
export type ColumnType =
  | { readonly kind: ScalarKind }
  | { readonly kind: 'decimal'; readonly precision: number; readonly scale: number }
  | { readonly kind: 'list'; readonly item: ColumnType }
  | { readonly kind: 'struct'; readonly fields: readonly ColumnField[] };

/** Timestamps and times are in microseconds, `date` is in days, `interval` is Arrow's month-day-nano. */
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

/** The buffers of one column of a batch, in Arrow's layout; `validity` is absent if no value is null. */
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

/**
 * The output of a decoder: first the names and types of the columns, then batches in the order of the file.
 */
export interface DecodedFile {
  readonly fields: readonly ColumnField[];
  readonly batches: Iterable<ColumnBatch> | AsyncIterable<ColumnBatch>;
}

/**
 * The limits of a batch, which ends when it reaches the first of them. A single row may be larger, up to the
 * memory budget.
 */
export const BATCH_ROWS = 65_536;
export const BATCH_BYTES = 8 << 20;

/** The memory of a batch, for transfer to another thread without a copy. */
export function buffersOf(columns: readonly ColumnData[]): ArrayBuffer[] {
  return columns.flatMap((column) => [
    ...[column.validity, column.offsets, column.values].flatMap((view) => (view ? [view.buffer] : [])),
    ...buffersOf(column.children),
  ]);
}

/** The file is invalid. `message` completes "Cannot read <name>: …". */
export class DecodeError extends Error {}

/**
 * The file is valid but contains something that has no column type here. `message` completes "… is not
 * supported".
 */
export class UnsupportedError extends Error {}
