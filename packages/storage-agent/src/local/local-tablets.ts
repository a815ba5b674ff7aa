import type { TableObject, Tablet } from '@tessera/catalog';

/** What is needed of a tablet. */
export interface TabletNeed {
  readonly table: TableObject;
  readonly tablet: Tablet;
  /** Ids of columns. */
  readonly columns: readonly number[];
  /** Ascending; absent: all. */
  readonly granules?: readonly number[] | undefined;
}

/** A tablet's file, with what was needed in it. It stays until it is released. */
export interface LocalTablet {
  readonly path: string;
  /** The columns are there in all granules, whatever was needed. */
  readonly isComplete: boolean;
  readonly bytesFetched: number;
  readonly bytesCached: number;
  /** Stored bytes of what was needed. */
  readonly bytesNeeded: number;
  /** Stored bytes of each column that the file has, by its id. */
  readonly columnBytes: ReadonlyMap<number, number>;
  release(): void;
}
