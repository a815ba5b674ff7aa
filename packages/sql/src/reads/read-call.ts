import type { SqlLocation } from '@tessera/common';

export type ReadFunction =
  | 'read_parquet'
  | 'read_csv'
  | 'read_avro'
  | 'read_text'
  | 'read_json'
  | 'read_arrow'
  | 'read_files'
  | 'read_iceberg'
  | 'read_delta'
  /** Lists names and sizes of files without reading their contents. */
  | 'list_objects';

/** One call of a READ_* function with validated arguments. */
export interface ReadCall {
  /**
   * The function to run. READ_FILES has been replaced by the function for the file extension, if the
   * extension is known.
   */
  readonly function: ReadFunction;
  readonly url: string;
  readonly options: ReadOptions;
  /** The URL of the LOCATION, outside of which the statement may not read, whatever the metadata of a table says. */
  readonly within?: string | undefined;
  readonly location: SqlLocation | undefined;
  /** Whether the statement requests the file of each row, which is only known when files are read whole. */
  readonly namesFiles?: boolean | undefined;
}

/** The validated named arguments; those that were not given are absent. */
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
  readonly snapshot_id?: string;
  readonly version?: string;
  readonly as_of_timestamp?: string;
  readonly allow_moved_paths?: boolean;
  readonly hive_partitioning?: boolean;
  readonly hive_types_autocast?: boolean;
  readonly aws_access_key_id?: string;
  readonly aws_secret_access_key?: string;
  readonly aws_session_token?: string;
  readonly aws_role_arn?: string;
  readonly google_service_account_key?: string;
  readonly azure_sas_token?: string;
  readonly azure_account_key?: string;
}

/** What a READ_* call scans. */
export type RelationSource =
  | {
      readonly kind: 'files';
      readonly paths: readonly string[];
      readonly files?: readonly SourceFile[];
      /**
       * Set if several nodes may read parts of the files. `paths` may then be small placeholder files with
       * the same columns until it is known that this node reads the files alone.
       */
      readonly scanId?: string | undefined;
    }
  /** A temp table or view of the session that holds the rows of all files. */
  | {
      readonly kind: 'relation';
      readonly name: string;
      readonly files?: readonly SourceFile[];
      /** As above: until it is known that this node reads the files alone, the table has no rows. */
      readonly scanId?: string | undefined;
      /** Whether the relation has the columns of `FILE_COLUMNS` after its own. */
      readonly namesFiles?: boolean | undefined;
    };

/** A file to scan, with the name by which its user knows it. */
export interface SourceFile {
  /** The path on disk; it contains no pattern characters. */
  readonly path: string;
  readonly url: string;
  readonly bytes: number;
  readonly modifiedAt: Date | undefined;
}
