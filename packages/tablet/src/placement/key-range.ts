/**
 * Keys from `from` (inclusive) to `to` (exclusive); an absent bound is unlimited. NULL belongs to the range
 * without `from`.
 */
export interface KeyRange {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

/** Selects the rows of a tablet with a key in one of the ranges. */
export interface TabletKeys {
  /** `Column.id`. */
  readonly column: number;
  /** Ascending ranges that do not touch. */
  readonly ranges: readonly KeyRange[];
  /** The approximate number of these rows. The numbers of all shares of a tablet add up to its rows. */
  readonly rows: number;
}
