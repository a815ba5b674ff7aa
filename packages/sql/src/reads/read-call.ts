import type { SqlLocation } from '@tessera/common';

export type ReadFunction =
  | 'read_parquet'
  | 'read_csv'
  | 'read_avro'
  | 'read_text'
  | 'read_json'
  | 'read_arrow'
  | 'read_files';

/** One call of a READ_* function, its arguments checked. */
export interface ReadCall {
  /** READ_FILES is already the function that the name's extension asks for, where it has one that is known. */
  readonly function: ReadFunction;
  readonly url: string;
  readonly options: ReadOptions;
  readonly location: SqlLocation | undefined;
}

export type ReadOptions = Readonly<Record<string, string | boolean>>;

/** What a read call scans. */
export type RelationSource =
  | { readonly kind: 'files'; readonly paths: readonly string[] }
  /** A temp table of the session. */
  | { readonly kind: 'relation'; readonly name: string };
