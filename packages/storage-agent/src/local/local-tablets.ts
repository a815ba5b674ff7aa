import type { TableObject, Tablet } from '@tessera/catalog';

/** The parts of a tablet that a scan needs. */
export interface TabletNeed {
  readonly table: TableObject;
  readonly tablet: Tablet;
  /** The ids of the columns. */
  readonly columns: readonly number[];
  /** The granule numbers in ascending order; absent means all. */
  readonly granules?: readonly number[] | undefined;
}

/** A tablet's local file that contains the needed parts. It stays until it is released. */
export interface LocalTablet {
  readonly path: string;
  /** Whether the columns are present in all granules, whatever was needed. */
  readonly isComplete: boolean;
  readonly bytesFetched: number;
  readonly bytesCached: number;
  /** The stored bytes of the needed parts. */
  readonly bytesNeeded: number;
  /** The stored bytes of each column in the file, by column id. */
  readonly columnBytes: ReadonlyMap<number, number>;
  release(): void;
}
