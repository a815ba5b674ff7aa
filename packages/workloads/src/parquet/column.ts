/** The rows of one column of a row group: none is null. */
export type Column = NumberColumn | WordColumn | TextColumn;

/** `decimal` is `numeric(15,2)`, its values in hundredths; the values of `date` are days since 1970. */
export type ColumnType = 'integer' | 'bigint' | 'decimal' | 'date' | 'text';

/** Whole numbers. */
export interface NumberColumn {
  readonly type: 'integer' | 'bigint' | 'decimal' | 'date';
  readonly values: Float64Array | Int32Array;
}

/** Texts that are among a few. */
export interface WordColumn {
  readonly type: 'words';
  /** At most 256. */
  readonly words: readonly string[];
  /** Where each row's text is among `words`. */
  readonly places: Uint8Array;
}

/** Texts as Parquet's PLAIN encoding has them: each after its length as four bytes. */
export interface TextColumn {
  readonly type: 'text';
  readonly rows: number;
  readonly bytes: Uint8Array;
}
