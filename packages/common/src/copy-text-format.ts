/** The row formats text and csv of PostgreSQL's COPY, in both directions, with its option names. */
export interface CopyTextFormat {
  readonly format: 'text' | 'csv';
  /** A single byte, like `quote` and `escape`. */
  readonly delimiter: string;
  /** The unquoted text for NULL, exactly as in the file. */
  readonly nullText: string;
  /** Whether the first line has the column names. With `match`, for input only, they must equal those of the table. */
  readonly header: boolean | 'match';
  /** For csv only, like the columns below; `*` means all columns. */
  readonly quote: string;
  readonly escape: string;
  /** Columns whose values are always quoted in output. */
  readonly forceQuote: readonly string[] | '*';
  /** Columns in which `nullText` is a text and not NULL. */
  readonly forceNotNull: readonly string[] | '*';
  /** Columns in which a quoted `nullText` is NULL too. */
  readonly forceNull: readonly string[] | '*';
}

/** The format of a statement without options. */
export const defaultCopyFormat = (format: CopyTextFormat['format']): CopyTextFormat => ({
  format,
  header: false,
  delimiter: format === 'csv' ? ',' : '\t',
  nullText: format === 'csv' ? '' : '\\N',
  quote: '"',
  escape: '"',
  forceQuote: [],
  forceNotNull: [],
  forceNull: [],
});
