import type { CsvShape } from '@tessera/readers';
import type { ReadCall } from '@tessera/sql';

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
  const named = /\.gz$/i.test(url) ? 'gzip' : /\.zst$/i.test(url) ? 'zstd' : 'none';
  const { compression = 'auto' } = options;
  const codec = compression === 'auto' ? named : (compression as CsvShape['compression']);
  return {
    shape: { delimiter, quote, escape: options.escape ?? quote, compression: codec },
    hasHeader: header,
    isPadded,
  };
}
