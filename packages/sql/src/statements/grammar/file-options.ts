import type { OptionNames } from './option-list.ts';

/** The options for reading files of text formats. */
const TEXT_OPTIONS = [
  'compression',
  'delimiter',
  'quote',
  'escape',
  'header',
  'newline',
  'null_string',
  'empty_field_as_null',
  'skip_blank_lines',
  'skip_header_rows',
  'date_format',
  'timestamp_format',
];

const TEXT_OPTIONS_NOT_YET = ['newline', 'date_format', 'timestamp_format'];

const ALIASES = {
  format: 'type',
  field_delimiter: 'delimiter',
  sep: 'delimiter',
  separator: 'delimiter',
  null: 'null_string',
  nullstr: 'null_string',
};

export const COPY_FROM_OPTIONS: OptionNames = {
  of: 'COPY FROM',
  values: [
    'type',
    'pattern',
    'auto_create',
    'allow_column_mismatch',
    'max_errors_per_file',
    'error_file',
    'limit',
    'offset',
    ...TEXT_OPTIONS,
  ],
  notYet: ['auto_create', ...TEXT_OPTIONS_NOT_YET],
  groups: ['credentials', 'error_file_credentials'],
  aliases: { ...ALIASES, object_pattern: 'pattern' },
};

export const COPY_TO_OPTIONS: OptionNames = {
  of: 'COPY TO',
  values: [
    'type',
    'compression',
    'header',
    'delimiter',
    'quote',
    'escape',
    'null_string',
    'single_file',
    'max_file_size',
    'overwrite_existing_files',
    'include_query_id_in_file_name',
    'file_name_prefix',
  ],
  groups: ['credentials'],
  before: 'PARTITION',
  aliases: ALIASES,
};

export const EXTERNAL_TABLE_OPTIONS: OptionNames = {
  of: 'CREATE EXTERNAL TABLE',
  values: [
    'type',
    'url',
    'location',
    'object_pattern',
    'allow_column_mismatch',
    'parse_as_text',
    ...TEXT_OPTIONS,
  ],
  notYet: ['parse_as_text', ...TEXT_OPTIONS_NOT_YET],
  groups: ['credentials'],
  aliases: { ...ALIASES, pattern: 'object_pattern' },
};
