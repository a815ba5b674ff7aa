import type { SqlLocation } from '@tessera/common';

export type ReadFunction =
  | 'read_parquet'
  | 'read_csv'
  | 'read_avro'
  | 'read_text'
  | 'read_json'
  | 'read_arrow'
  | 'read_files'
  /** Names and sizes of files, not what is in them. */
  | 'list_objects';

/** One call of a READ_* function, its arguments checked. */
export interface ReadCall {
  /** READ_FILES is already the function that the name's extension asks for, where it has one that is known. */
  readonly function: ReadFunction;
  readonly url: string;
  readonly options: ReadOptions;
  readonly location: SqlLocation | undefined;
  /** The statement asks for the file of each row, which only reading files whole tells. */
  readonly tellsFiles?: boolean | undefined;
}

/** The named arguments, checked; one that was not given is absent. */
export interface ReadOptions {
  readonly header?: boolean;
  readonly infer_schema?: boolean;
  readonly delimiter?: string;
  readonly quote?: string;
  readonly escape?: string;
  readonly null_string?: string;
  readonly skip_blank_lines?: boolean;
  readonly empty_field_as_null?: boolean;
  readonly null_padding?: boolean;
  readonly compression?: string;
  readonly aws_access_key_id?: string;
  readonly aws_secret_access_key?: string;
  readonly aws_session_token?: string;
  readonly aws_role_arn?: string;
}

/** What a read call scans. */
export type RelationSource =
  | {
      readonly kind: 'files';
      readonly paths: readonly string[];
      readonly files?: readonly SourceFile[];
      /**
       * Set where several nodes may read parts of the files: then `paths` may be short stand-ins with the same columns until it
       * is known that this node reads the files alone.
       */
      readonly scanId?: string | undefined;
    }
  /** A temp table of the session; with the rows of all files. */
  | { readonly kind: 'relation'; readonly name: string; readonly files?: readonly SourceFile[] };

/** A file that is scanned, and what its user knows it by. */
export interface SourceFile {
  /** As it stands on disk: no character in it is a pattern. */
  readonly path: string;
  readonly url: string;
  readonly bytes: number;
  readonly modifiedAt: Date | undefined;
}
