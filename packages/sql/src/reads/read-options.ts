import type { ReadFunction } from './read-call.ts';

export type OptionType = 'text' | 'boolean' | 'character' | 'compression';

/** A named argument of a function that reads files. */
export interface ReadOption {
  readonly type: OptionType;
  /** For the reference; without an end. */
  readonly meaning: string;
  /** As one would write it; undefined: nothing. */
  readonly byDefault?: string;
}

export interface ReadFunctionReference {
  readonly name: ReadFunction;
  readonly reads: string;
  readonly options: Readonly<Record<string, ReadOption>>;
}

export const COMPRESSIONS = ['auto', 'none', 'gzip', 'zstd'];

/** What opens a bucket. */
export const CREDENTIALS: Readonly<Record<string, ReadOption>> = {
  aws_access_key_id: { type: 'text', meaning: 'access key of an `s3://` URL' },
  aws_secret_access_key: { type: 'text', meaning: 'its secret' },
  aws_session_token: { type: 'text', meaning: 'its session token, where it has one' },
  aws_role_arn: { type: 'text', meaning: 'role to take on, with these keys or as the engine' },
};

const COMMON: Readonly<Record<string, ReadOption>> = {
  url: { type: 'text', meaning: 'the file or files, in place of the first argument; may be a pattern' },
  location: { type: 'text', meaning: 'a location of the catalog, in place of a URL' },
  pattern: { type: 'text', meaning: 'which files below the location' },
  ...CREDENTIALS,
};

const COMPRESSION: Readonly<Record<string, ReadOption>> = {
  compression: {
    type: 'compression',
    meaning: `how files are compressed: ${COMPRESSIONS.join(', ')} (auto: by their names)`,
    byDefault: "'auto'",
  },
};

const CSV: Readonly<Record<string, ReadOption>> = {
  header: {
    type: 'boolean',
    meaning: 'the first line of each file has the names of columns',
    byDefault: 'FALSE',
  },
  infer_schema: {
    type: 'boolean',
    meaning: 'types are told by a look at the files; else every column is text',
    byDefault: 'FALSE',
  },
  delimiter: { type: 'character', meaning: 'between fields', byDefault: "','" },
  quote: { type: 'character', meaning: 'around fields', byDefault: `'"'` },
  escape: { type: 'character', meaning: 'before a quote within a field', byDefault: 'as QUOTE' },
  null_string: { type: 'text', meaning: 'the field that is NULL' },
  skip_blank_lines: {
    type: 'boolean',
    meaning: 'of COPY and external tables; READ_CSV takes it, without effect',
    byDefault: 'FALSE',
  },
  null_padding: {
    type: 'boolean',
    meaning: 'a line with too few fields ends in NULLs; else it is an error',
    byDefault: 'FALSE',
  },
  empty_field_as_null: { type: 'boolean', meaning: 'a field without anything is NULL', byDefault: 'TRUE' },
  ...COMPRESSION,
};

/** Every function that reads files, with its named arguments. */
export const READ_FUNCTIONS: Readonly<Record<ReadFunction, ReadFunctionReference>> = {
  read_parquet: { name: 'read_parquet', reads: 'Parquet files: columns by name', options: COMMON },
  read_csv: { name: 'read_csv', reads: 'CSV files, and their like', options: { ...COMMON, ...CSV } },
  read_json: {
    name: 'read_json',
    reads: 'JSON: objects one after the other, or an array of them',
    options: { ...COMMON, ...COMPRESSION },
  },
  read_avro: { name: 'read_avro', reads: 'Avro object container files', options: COMMON },
  read_arrow: { name: 'read_arrow', reads: 'Arrow IPC files and streams', options: COMMON },
  read_text: { name: 'read_text', reads: 'Text', options: { ...COMMON, ...COMPRESSION } },
  read_files: {
    name: 'read_files',
    reads: 'Any of these, by the ending of the name',
    options: { ...COMMON, ...CSV },
  },
  list_objects: {
    name: 'list_objects',
    reads: 'Names, sizes and times of files, not what is in them',
    options: COMMON,
  },
};
