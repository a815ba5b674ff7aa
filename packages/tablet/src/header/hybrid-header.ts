import type { TabletLayout } from '@tessera/catalog';

/** What a tablet's file says of itself between its last column chunk and its Parquet footer. `docs/tablet-format.md` */
export interface HybridHeader {
  readonly formatVersion: 1 | 2 | 3;
  readonly layout: TabletLayout;
  readonly tableId: string;
  /** Of the table when the tablet was written. */
  readonly schemaVersion: number;
  readonly rows: number;
  /** Rows of each granule; a granule is a row group of the body. */
  readonly granuleRows: readonly number[];
  readonly columns: readonly HeaderColumn[];
  /** Of each partition expression, the kernel's VARCHAR. */
  readonly partition: readonly (string | null)[];
  readonly primaryIndex: PrimaryIndex;
}

export interface HeaderColumn {
  /** `Column.id` of the catalog. */
  readonly id: number;
  readonly storedName: string;
  /** As `Column.type` of the catalog was then. */
  readonly type: string;
  /** One per granule. */
  readonly granules: readonly GranuleColumn[];
}

/** The pages of one column in one granule: a range of the file. Of a nested column the chunks of all its leaves. */
export interface GranuleColumn {
  readonly offset: number;
  readonly bytes: number;
  readonly crc32c: number;
  /** Undefined: not counted. */
  readonly nulls?: number | undefined;
  /** As in `ColumnStatistics`: no value of the granule is below `min` or above `max`. */
  readonly min?: string | undefined;
  readonly max?: string | undefined;
}

/** The first key of each granule, in the order of the rows. */
export interface PrimaryIndex {
  /** Ids of the key columns; empty when the table has none or the rows are not sorted. */
  readonly columns: readonly number[];
  /** By granule, then by key column. */
  readonly keys: readonly (readonly KeyValue[])[];
}

/** `prefix`: the value begins with this text and goes on. */
export type KeyValue =
  | { readonly kind: 'null' }
  | { readonly kind: 'value'; readonly text: string }
  | { readonly kind: 'prefix'; readonly text: string };
