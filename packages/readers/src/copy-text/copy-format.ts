/** The row format of PostgreSQL's COPY, text or csv. */
export interface CopyTextFormat {
  readonly format: 'text' | 'csv';
  /** A single byte, as are `quote` and `escape`. */
  readonly delimiter: string;
  /** The text for NULL, exactly as in the file. */
  readonly nullText: string;
  /** With `match`, the names in the first line must equal the column names. */
  readonly header: boolean | 'match';
  /** Only for csv. */
  readonly quote: string;
  readonly escape: string;
  /** Columns in which `nullText` is a text and not NULL (csv). */
  readonly forceNotNull: readonly string[] | '*';
  /** Columns in which a quoted `nullText` is NULL too (csv). */
  readonly forceNull: readonly string[] | '*';
}

export const isForced = (forced: readonly string[] | '*', column: string): boolean =>
  forced === '*' || forced.includes(column);

export const byteOf = (text: string): number => Buffer.from(text)[0] ?? -1;
