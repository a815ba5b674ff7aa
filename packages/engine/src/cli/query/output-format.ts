import { CommandFailure, EXIT } from '../exit-code.ts';

/** Short names for the server's formats. */
const SHORT: Readonly<Record<string, string>> = {
  psql: 'PSQL',
  vertical: 'Vertical',
  tsv: 'TabSeparatedWithNames',
  'tsv-types': 'TabSeparatedWithNamesAndTypes',
  csv: 'CSVWithNames',
  json: 'JSON',
  'json-compact': 'JSON_Compact',
  jsonlines: 'JSONLines_Compact',
  arrow: 'ArrowStream',
  parquet: 'Parquet',
};

export const FORMAT_NAMES = Object.keys(SHORT);
const BINARY = ['arrowstream', 'parquet'];

/** The server's name of the requested format; other names are passed on unchanged. */
export function outputFormat(asked: string | undefined, terminal: boolean): string {
  const format = SHORT[(asked ?? (terminal ? 'psql' : 'tsv')).toLowerCase()] ?? asked!;
  if (terminal && BINARY.includes(format.toLowerCase()))
    throw new CommandFailure(
      EXIT.usage,
      `error: --format ${asked}: binary; send standard output to a file or a pipe`,
    );
  return format;
}

/** Whether the last line of the format reports how the query ended; other formats break off. */
export function saysItsEnd(format: string): boolean {
  return format.toLowerCase() === 'jsonlines_compact';
}
