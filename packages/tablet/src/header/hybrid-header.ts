import type { TabletLayout } from '@tessera/catalog';

/**
 * The description of a tablet inside its file, between the last column chunk and the Parquet footer; see
 * `docs/tablet-format.md`.
 */
export interface HybridHeader {
  readonly formatVersion: 1 | 2 | 3;
  readonly layout: TabletLayout;
  readonly tableId: string;
  /** The schema version of the table when the tablet was written. */
  readonly schemaVersion: number;
  readonly rows: number;
  /** The number of rows of each granule; a granule is a row group of the body. */
  readonly granuleRows: readonly number[];
  readonly columns: readonly HeaderColumn[];
  /** The value of each partition expression, as the kernel's VARCHAR. */
  readonly partition: readonly (string | null)[];
  readonly primaryIndex: PrimaryIndex;
}

export interface HeaderColumn {
  /** The `Column.id` of the catalog. */
  readonly id: number;
  readonly storedName: string;
  /** The `Column.type` of the catalog at the time of writing. */
  readonly type: string;
  /** One entry per granule. */
  readonly granules: readonly GranuleColumn[];
}

/**
 * The pages of one column in one granule, as a range of the file. For a nested column it covers the chunks of
 * all leaves.
 */
export interface GranuleColumn {
  readonly offset: number;
  readonly bytes: number;
  readonly crc32c: number;
  /** Undefined if the NULLs were not counted. */
  readonly nulls?: number | undefined;
  /** As in `ColumnStatistics`: no value of the granule is below `min` or above `max`. */
  readonly min?: string | undefined;
  readonly max?: string | undefined;
}

/** The first key of each granule, in row order. */
export interface PrimaryIndex {
  /** The ids of the key columns; empty if the table has no primary index or the rows are not sorted. */
  readonly columns: readonly number[];
  /** Indexed by granule, then by key column. */
  readonly keys: readonly (readonly KeyValue[])[];
}

/** `prefix`: the value begins with this text and is longer. */
export type KeyValue =
  | { readonly kind: 'null' }
  | { readonly kind: 'value'; readonly text: string }
  | { readonly kind: 'prefix'; readonly text: string };
