import { fail } from '@tessera/common';
import { quoteText } from '@tessera/kernel';
import { type CopyFromStatement, CSV_BUFFER_BYTES, nullTexts } from '@tessera/sql';

type Options = CopyFromStatement['options'];

const QUOTE_WORDS: Readonly<Record<string, string>> = { DOUBLE_QUOTE: '"', SINGLE_QUOTE: "'", NONE: '' };

/** Parses a boolean option that the grammar has accepted. */
export const isOn = (text: string | undefined, byDefault: boolean): boolean =>
  text === undefined ? byDefault : /^(?:true|on|1)$/i.test(text);

/** Translates options of COPY to their names in READ_CSV. */
export function csvOptions({ format }: { readonly format: string }, options: Options) {
  const quote = quoteOf(options.quote ?? '"');
  return {
    delimiter: delimiterOf(options.delimiter ?? (format === 'TSV' ? '\t' : ',')),
    quote,
    escape: options.escape ?? quote,
    header: isOn(options.header, false),
    null_padding: padsShortLines(options),
    ...(options.compression === undefined ? {} : { compression: options.compression.toLowerCase() }),
  };
}

/**
 * Short lines are only padded with NULL if the statement requests it: ALLOW_COLUMN_MISMATCH is on by default.
 */
export const padsShortLines = (options: Options): boolean => isOn(options.allow_column_mismatch, false);

/** Arguments of the kernel's `read_csv` that read every cell as text. */
export function csvArguments({ format }: { readonly format: string }, options: Options): string[] {
  const csv = csvOptions({ format }, options);
  const nulls = nullTexts({
    ...(options.null_string !== undefined && { null_string: options.null_string }),
    empty_field_as_null: isOn(options.empty_field_as_null, true),
  });
  const skipped = Number(options.skip_header_rows ?? 0);
  if (!Number.isSafeInteger(skipped) || skipped < 0) {
    fail('INVALID_ARGUMENT', {
      message: `SKIP_HEADER_ROWS takes an integer, not ${options.skip_header_rows}`,
    });
  }
  return [
    `delim = ${quoteText(csv.delimiter)}`,
    `quote = ${quoteText(csv.quote)}`,
    `escape = ${quoteText(csv.escape)}`,
    `header = ${csv.header}`,
    `skip = ${skipped}`,
    // Otherwise the kernel leaves out records that begin with `#`.
    "comment = ''",
    `nullstr = [${nulls.map(quoteText).join(', ')}]`,
    'allow_quoted_nulls = false',
    'all_varchar = true',
    `buffer_size = ${CSV_BUFFER_BYTES}`,
    `compression = ${quoteText((options.compression ?? 'auto').toLowerCase())}`,
  ];
}

const quoteOf = (text: string): string => QUOTE_WORDS[text.toUpperCase()] ?? text;

/** The delimiter; users write `\t` for a tab. */
const delimiterOf = (text: string): string => text.replaceAll('\\t', '\t');
