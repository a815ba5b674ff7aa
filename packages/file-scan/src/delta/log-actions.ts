/**
 * The actions of a Delta Lake log, as far as reading needs them.
 * Source: https://github.com/delta-io/delta/blob/master/PROTOCOL.md
 */
export interface LogAction {
  readonly protocol?: Protocol | null;
  readonly metaData?: TableMetadata | null;
  readonly add?: AddFile | null;
  readonly remove?: Pick<AddFile, 'path' | 'deletionVector'> | null;
  readonly commitInfo?: { readonly inCommitTimestamp?: number } | null;
  /** A file with further actions of a checkpoint, in the folder `_sidecars`. */
  readonly sidecar?: { readonly path: string } | null;
}

export interface Protocol {
  readonly minReaderVersion: number;
  readonly readerFeatures?: readonly string[] | null;
}

export interface TableMetadata {
  readonly schemaString?: string | null;
  readonly partitionColumns: readonly string[];
  readonly configuration?: Readonly<Record<string, string>> | null;
  readonly format?: { readonly provider?: string } | null;
}

export interface AddFile {
  /** URL-encoded and relative to the table, or absolute. */
  readonly path: string;
  readonly partitionValues?: Readonly<Record<string, string | null>>;
  readonly size: number;
  readonly modificationTime?: number;
  /** JSON. */
  readonly stats?: string | null;
  readonly deletionVector?: DeletionVector | null;
}

export interface DeletionVector {
  /** `u`: a file named by a UUID; `p`: a file named by its URL; `i`: inline. */
  readonly storageType: string;
  readonly pathOrInlineDv: string;
  readonly offset?: number | null;
  readonly sizeInBytes: number;
  readonly cardinality: number;
}

/** The state of a table at one version. */
export interface DeltaState {
  readonly version: number;
  readonly protocol: Protocol;
  readonly metadata: TableMetadata;
  readonly files: readonly AddFile[];
}
