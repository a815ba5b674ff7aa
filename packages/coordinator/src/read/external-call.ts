import type { ExternalTableObject, LocationObject } from '@tessera/catalog';
import { belowLocation, credentialsIn, type ReadArguments, type ReadFunction } from '@tessera/sql';

const FUNCTIONS: Readonly<Record<ExternalTableObject['format'], ReadFunction>> = {
  PARQUET: 'read_parquet',
  CSV: 'read_csv',
  TSV: 'read_csv',
  JSON: 'read_json',
  AVRO: 'read_avro',
};

/** The READ_* call that an external table represents. */
export function externalCall(
  { url, objectPattern, format, options }: ExternalTableObject,
  location: LocationObject | undefined,
): ReadArguments {
  const base = location?.url ?? url;
  const joined = objectPattern === undefined ? base : belowLocation(base, objectPattern);
  return {
    function: FUNCTIONS[format],
    url: joined,
    options: {
      ...credentialsIn({ ...options, ...location?.credentials }),
      ...formatOptions(format, options),
    },
  };
}

/** Translates options of CREATE EXTERNAL TABLE to their names in READ_CSV. */
function formatOptions(
  format: ExternalTableObject['format'],
  options: ExternalTableObject['options'],
): ReadArguments['options'] {
  const compression =
    options.compression === undefined ? {} : { compression: options.compression.toLowerCase() };
  if (format !== 'CSV' && format !== 'TSV') return compression;
  const skipsHeader =
    options.header !== undefined ? isTrue(options.header) : Number(options.skip_header_rows ?? 0) > 0;
  return {
    ...compression,
    header: skipsHeader,
    null_padding: isTrue(options.allow_column_mismatch ?? ''),
    delimiter: options.field_delimiter ?? options.delimiter ?? (format === 'TSV' ? '\t' : ','),
    ...(options.quote === undefined ? {} : { quote: options.quote }),
    ...(options.escape === undefined ? {} : { escape: options.escape }),
    ...(options.null_string === undefined ? {} : { null_string: options.null_string }),
    ...(options.skip_blank_lines === undefined ? {} : { skip_blank_lines: isTrue(options.skip_blank_lines) }),
    ...(options.empty_field_as_null === undefined
      ? {}
      : { empty_field_as_null: isTrue(options.empty_field_as_null) }),
  };
}

const isTrue = (text: string): boolean => /^(?:true|on|yes|1)$/i.test(text);
