/** How PostgreSQL's COPY writes rows as text. */
export interface CopyTextFormat {
  readonly format: 'text' | 'csv';
  /** One byte, like `quote` and `escape`. */
  readonly delimiter: string;
  /** What stands for NULL, as it is in the file. */
  readonly nullText: string;
  /** `match`: the names of the first line must be those of the columns. */
  readonly header: boolean | 'match';
  /** Of csv. */
  readonly quote: string;
  readonly escape: string;
  /** Columns in which `nullText` is a text (csv). */
  readonly forceNotNull: readonly string[] | '*';
  /** Columns in which `nullText` in quotes is NULL too (csv). */
  readonly forceNull: readonly string[] | '*';
}

export const isForced = (forced: readonly string[] | '*', column: string): boolean =>
  forced === '*' || forced.includes(column);

export const byteOf = (text: string): number => Buffer.from(text)[0] ?? -1;
