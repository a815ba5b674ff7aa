/** The rows of one column of a row group. */
export type Column = NumberColumn | LargeNumberColumn | WordColumn | StringColumn | TextColumn;

/**
 * `decimal` is `numeric(15,2)`; `decimal(7)` and `decimal(5)` have fewer digits. Decimals are in hundredths,
 * dates in days and timestamps in microseconds since 1970.
 */
export type ColumnType =
  | 'smallint'
  | 'integer'
  | 'bigint'
  | 'decimal(5)'
  | 'decimal(7)'
  | 'decimal'
  | 'date'
  | 'timestamp'
  | 'text';

interface Nullable {
  /** Has 1 for each row that is not NULL; `values` contain only these rows. If absent, no row is NULL. */
  readonly present?: Uint8Array;
}

/** Integers from -2^53 to 2^53. */
interface NumberColumn extends Nullable {
  readonly type: Exclude<ColumnType, 'text'>;
  readonly values: Float64Array | Int32Array;
}

/** 64-bit integers. */
interface LargeNumberColumn extends Nullable {
  readonly type: 'large';
  readonly values: BigInt64Array<ArrayBuffer>;
}

/** Texts from a small list of words. */
interface WordColumn extends Nullable {
  readonly type: 'words';
  /** At most 256 words. */
  readonly words: readonly string[];
  /** For each row, the position of its text in `words`. */
  readonly places: Uint8Array;
}

/** Arbitrary texts. */
interface StringColumn extends Nullable {
  readonly type: 'strings';
  readonly values: readonly string[];
}

/** Texts in Parquet's PLAIN encoding: each is preceded by its length as four bytes. */
export interface TextColumn extends Nullable {
  readonly type: 'text';
  /** The number of texts. */
  readonly rows: number;
  readonly bytes: Uint8Array;
}
