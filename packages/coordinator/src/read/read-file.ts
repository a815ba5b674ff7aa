import type { CsvShape } from '@tessera/readers';
import type { ReadCall } from '@tessera/sql';

/** A file that a statement reads, with its user-visible name and its path on disk. */
export interface ReadFile {
  readonly label: string;
  readonly path: string;
  /** The function that reads it. */
  readonly format: ReadCall['function'];
  /** The temp table that its rows were loaded into, for formats that the kernel cannot read itself. */
  readonly relation?: string | undefined;
  /** The scan through which nodes read parts of the file, until it is decided that this node reads it alone. */
  readonly scanId?: string | undefined;
  /** Whether it is a data file of a table, which was counted when it was opened. */
  readonly isOfTable?: boolean | undefined;
  /** The format of a CSV file; undefined for files of other formats. */
  readonly csv?: CsvFile | undefined;
}

export interface CsvFile {
  readonly shape: CsvShape;
  readonly hasHeader: boolean;
  /** Whether lines with too few fields are accepted. */
  readonly isPadded: boolean;
}

/** The format of a CSV file by the options of READ_CSV. */
export function csvFile({ url, options }: Pick<ReadCall, 'url' | 'options'>): CsvFile {
  const { quote = '"', header = false, null_padding: isPadded = false } = options;
  const delimiter = options.delimiter ?? (/\.tsv(?:\.\w+)?$/i.test(url) ? '\t' : ',');
  return {
    shape: { delimiter, quote, escape: options.escape ?? quote, compression: codecOf({ url }, options) },
    hasHeader: header,
    isPadded,
  };
}

/** The compression of a file of text by the options of the function that reads it, or else by its name. */
export function codecOf(
  { url }: Pick<ReadCall, 'url'>,
  options: ReadCall['options'],
): CsvShape['compression'] {
  const { compression = 'auto' } = options;
  if (compression !== 'auto') return compression as CsvShape['compression'];
  return /\.gz$/i.test(url) ? 'gzip' : /\.zst$/i.test(url) ? 'zstd' : 'none';
}
