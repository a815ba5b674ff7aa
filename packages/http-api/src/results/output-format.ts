import { nearestName, TesseraError } from '@tessera/common';
import type { ResultEncoding, RunningQuery } from '@tessera/coordinator';
import { formatTypeName } from '@tessera/sql';
import type { Envelope } from './envelope.ts';
import { jsonEnvelope, jsonLinesEnvelope } from './json-envelopes.ts';

const asIs = (bytes: Uint8Array): readonly Uint8Array[] => [bytes];
const nothing = () => '';

/** Tab-separated values: a line of names and, with types, a line of type names. */
function tsvEnvelope(withTypes: boolean): Envelope {
  return {
    head: (columns) => {
      const names = `${columns.map((c) => escapeTsv(c.name)).join('\t')}\n`;
      return withTypes ? `${names}${columns.map((c) => escapeTsv(formatTypeName(c))).join('\t')}\n` : names;
    },
    rows: asIs,
    tail: nothing,
  };
}

/** RFC 4180, with LF line ends and every name quoted. */
const csvEnvelope = (): Envelope => ({
  head: (columns) => `${columns.map((c) => `"${c.name.replaceAll('"', '""')}"`).join(',')}\n`,
  rows: asIs,
  tail: nothing,
});

/** Formats whose chunks already are the whole body. */
const bareEnvelope = (): Envelope => ({ head: nothing, rows: asIs, tail: nothing });

const escapeTsv = (text: string): string =>
  text.replaceAll('\\', '\\\\').replaceAll('\t', '\\t').replaceAll('\n', '\\n');

export interface OutputFormat {
  readonly name: string;
  readonly contentType: string;
  readonly encoding: ResultEncoding;
  /** Whether every line of a result is a message with a type, so that an error is one as well. */
  readonly hasMessages?: boolean;
  envelope(query: RunningQuery): Envelope;
}

const TSV = 'text/tab-separated-values; charset=utf-8';
const CSV = 'text/csv; charset=utf-8; header=present';
const JSON_TYPE = 'application/json; charset=utf-8';
const TEXT = 'text/plain; charset=utf-8';

const COMPACT: ResultEncoding = { kind: 'rows', format: 'json_array' };

export const DEFAULT_OUTPUT_FORMAT = 'TabSeparatedWithNamesAndTypes';

const FORMATS: readonly OutputFormat[] = [
  {
    name: DEFAULT_OUTPUT_FORMAT,
    contentType: TSV,
    encoding: { kind: 'rows', format: 'tsv' },
    envelope: () => tsvEnvelope(true),
  },
  {
    name: 'TabSeparatedWithNames',
    contentType: TSV,
    encoding: { kind: 'rows', format: 'tsv' },
    envelope: () => tsvEnvelope(false),
  },
  {
    name: 'CSVWithNames',
    contentType: CSV,
    encoding: { kind: 'rows', format: 'csv' },
    envelope: csvEnvelope,
  },
  {
    name: 'JSON',
    contentType: JSON_TYPE,
    encoding: { kind: 'rows', format: 'json_object' },
    envelope: jsonEnvelope,
  },
  { name: 'JSON_Compact', contentType: JSON_TYPE, encoding: COMPACT, envelope: jsonEnvelope },
  { name: 'JSONCompact', contentType: JSON_TYPE, encoding: COMPACT, envelope: jsonEnvelope },
  {
    name: 'JSON_CompactLimited',
    contentType: JSON_TYPE,
    encoding: { ...COMPACT, limit: 10_000 },
    envelope: jsonEnvelope,
  },
  {
    name: 'JSONLines_Compact',
    contentType: 'application/x-ndjson; charset=utf-8',
    encoding: COMPACT,
    hasMessages: true,
    envelope: jsonLinesEnvelope,
  },
  { name: 'PSQL', contentType: TEXT, encoding: { kind: 'table' }, envelope: bareEnvelope },
  {
    name: 'Vertical',
    contentType: TEXT,
    encoding: { kind: 'rows', format: 'vertical' },
    envelope: bareEnvelope,
  },
  {
    name: 'ArrowStream',
    contentType: 'application/vnd.apache.arrow.stream',
    encoding: { kind: 'arrow' },
    envelope: bareEnvelope,
  },
  {
    name: 'Parquet',
    contentType: 'application/vnd.apache.parquet',
    encoding: { kind: 'parquet' },
    envelope: bareEnvelope,
  },
];

/** Separator between two results in one body: a blank line in text formats. */
export const separatorOf = ({ contentType }: OutputFormat): string =>
  contentType.startsWith('text/') ? '\n' : '';

/** Whether an error document can follow a result in the same body. */
export const isText = ({ encoding }: OutputFormat): boolean =>
  encoding.kind !== 'arrow' && encoding.kind !== 'parquet';

/** Finds a format by its name, in any case. @throws TesseraError INVALID_ARGUMENT for an unknown name */
export function outputFormat(name: string): OutputFormat {
  const wanted = name.toLowerCase();
  const found = FORMATS.find((format) => format.name.toLowerCase() === wanted);
  if (found !== undefined) return found;
  const names = FORMATS.map((format) => format.name);
  const nearest = nearestName(name, names);
  const hint = nearest === undefined ? `one of ${names.join(', ')}` : `did you mean ${nearest}?`;
  throw TesseraError.of('INVALID_ARGUMENT', { message: `Unknown output_format ${name} (${hint})` });
}
