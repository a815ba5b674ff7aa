import type { ReadFunction } from './read-call.ts';

export type OptionType = 'text' | 'boolean' | 'character' | 'compression' | 'integer';

/** A named argument of a function that reads files. */
export interface ReadOption {
  readonly type: OptionType;
  /** The description for the reference, without a final period. */
  readonly meaning: string;
  /** The default as it would be written; undefined if there is none. */
  readonly byDefault?: string;
}

export interface ReadFunctionReference {
  readonly name: ReadFunction;
  readonly reads: string;
  readonly options: Readonly<Record<string, ReadOption>>;
}

export const COMPRESSIONS = ['auto', 'none', 'gzip', 'zstd'];

/** Options with credentials for a bucket. */
export const CREDENTIALS: Readonly<Record<string, ReadOption>> = {
  aws_access_key_id: { type: 'text', meaning: 'access key of an `s3://` URL' },
  aws_secret_access_key: { type: 'text', meaning: 'secret access key' },
  aws_session_token: { type: 'text', meaning: 'session token, if any' },
  aws_role_arn: {
    type: 'text',
    meaning: 'role to assume, with these keys or with the identity of the engine',
  },
  google_service_account_key: {
    type: 'text',
    meaning: 'key of a service account (JSON) that opens a `gs://` URL',
  },
  azure_sas_token: { type: 'text', meaning: 'shared access signature that opens an `azure://` URL' },
  azure_account_key: { type: 'text', meaning: 'key of the account of an `azure://` URL' },
};

const COMMON: Readonly<Record<string, ReadOption>> = {
  url: { type: 'text', meaning: 'the file or files, instead of the first argument; may be a pattern' },
  location: { type: 'text', meaning: 'a location (`CREATE LOCATION`), instead of a URL' },
  pattern: { type: 'text', meaning: 'pattern that selects files below the location' },
  ...CREDENTIALS,
};

const HIVE: Readonly<Record<string, ReadOption>> = {
  hive_partitioning: {
    type: 'boolean',
    meaning: 'folders named `key=value` give columns; by default, if all files are in such folders',
  },
  hive_types_autocast: {
    type: 'boolean',
    meaning:
      'these columns are integers, dates or timestamps if all their values are; otherwise they are text',
    byDefault: 'TRUE',
  },
};

const TIMESTAMP: ReadOption = {
  type: 'text',
  meaning:
    'a time such as `2026-01-31 12:00:00+00`; the table is read as it was then. Without a zone, it is in UTC',
};

const ICEBERG: Readonly<Record<string, ReadOption>> = {
  snapshot_id: { type: 'integer', meaning: 'the id of the snapshot to read, instead of the current one' },
  as_of_timestamp: TIMESTAMP,
  allow_moved_paths: {
    type: 'boolean',
    meaning: 'the table was copied: its files are below the folder that is read, not where its metadata says',
    byDefault: 'FALSE',
  },
};

const DELTA: Readonly<Record<string, ReadOption>> = {
  version: { type: 'integer', meaning: 'the version to read, instead of the latest one' },
  as_of_timestamp: TIMESTAMP,
};

const COMPRESSION: Readonly<Record<string, ReadOption>> = {
  compression: {
    type: 'compression',
    meaning: `compression of the files: ${COMPRESSIONS.join(', ')} (auto: according to the file names)`,
    byDefault: "'auto'",
  },
};

const CSV: Readonly<Record<string, ReadOption>> = {
  header: {
    type: 'boolean',
    meaning: 'the first line of each file contains the column names',
    byDefault: 'FALSE',
  },
  infer_schema: {
    type: 'boolean',
    meaning: 'infers types from the content of the files; otherwise every column is text',
    byDefault: 'FALSE',
  },
  delimiter: { type: 'character', meaning: 'separator between fields', byDefault: "','" },
  quote: { type: 'character', meaning: 'quote character around fields', byDefault: `'"'` },
  escape: {
    type: 'character',
    meaning: 'escape character before a quote within a field',
    byDefault: 'as QUOTE',
  },
  null_string: { type: 'text', meaning: 'the text of a field that stands for NULL' },
  skip_blank_lines: {
    type: 'boolean',
    meaning: 'for COPY and external tables; READ_CSV accepts it without effect',
    byDefault: 'FALSE',
  },
  null_padding: {
    type: 'boolean',
    meaning: 'fills a line that has too few fields with NULL; otherwise such a line is an error',
    byDefault: 'FALSE',
  },
  empty_field_as_null: { type: 'boolean', meaning: 'an empty field is NULL', byDefault: 'TRUE' },
  ...COMPRESSION,
};

/** Every function that reads files, with its named arguments. */
export const READ_FUNCTIONS: Readonly<Record<ReadFunction, ReadFunctionReference>> = {
  read_parquet: {
    name: 'read_parquet',
    reads: 'Parquet files: columns by name',
    options: { ...COMMON, ...HIVE },
  },
  read_csv: {
    name: 'read_csv',
    reads: 'CSV and similar files',
    options: { ...COMMON, ...CSV, ...HIVE },
  },
  read_json: {
    name: 'read_json',
    reads: 'JSON files: a sequence or an array of objects',
    options: { ...COMMON, ...COMPRESSION },
  },
  read_avro: { name: 'read_avro', reads: 'Avro object container files', options: COMMON },
  read_arrow: { name: 'read_arrow', reads: 'Arrow IPC files and streams', options: COMMON },
  read_text: { name: 'read_text', reads: 'text files, line by line', options: { ...COMMON, ...COMPRESSION } },
  read_files: {
    name: 'read_files',
    reads: 'any of these formats, chosen by the extension of the file name',
    options: { ...COMMON, ...CSV, ...HIVE },
  },
  read_iceberg: {
    name: 'read_iceberg',
    reads: 'an Iceberg table: its folder, or one of its metadata files',
    options: { ...COMMON, ...ICEBERG },
  },
  read_delta: {
    name: 'read_delta',
    reads: 'a Delta Lake table: its folder',
    options: { ...COMMON, ...DELTA },
  },
  list_objects: {
    name: 'list_objects',
    reads: 'names, sizes and times of files, but not their content',
    options: COMMON,
  },
};
