/** The rows of one column of a row group. */
export type Column = NumberColumn | LargeNumberColumn | WordColumn | StringColumn | TextColumn;

/**
 * `decimal` is `numeric(15,2)`, `decimal(7)` and `decimal(5)` have fewer digits; their values are in hundredths. Those of
 * `date` are days, those of `timestamp` microseconds since 1970.
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
  /** 1 for each row that is not NULL, of which the column has the values; all rows unless it is there. */
  readonly present?: Uint8Array;
}

/** Integers from -2^53 to 2^53. */
export interface NumberColumn extends Nullable {
  readonly type: Exclude<ColumnType, 'text'>;
  readonly values: Float64Array | Int32Array;
}

/** Integers of 64 bits. */
export interface LargeNumberColumn extends Nullable {
  readonly type: 'large';
  readonly values: BigInt64Array<ArrayBuffer>;
}

/** Texts that are among a few. */
export interface WordColumn extends Nullable {
  readonly type: 'words';
  /** At most 256. */
  readonly words: readonly string[];
  /** Where each row's text is among `words`. */
  readonly places: Uint8Array;
}

/** Texts of any characters. */
export interface StringColumn extends Nullable {
  readonly type: 'strings';
  readonly values: readonly string[];
}

/** Texts as Parquet's PLAIN encoding has them: each after its length as four bytes. */
export interface TextColumn extends Nullable {
  readonly type: 'text';
  /** How many texts. */
  readonly rows: number;
  readonly bytes: Uint8Array;
}
