/** Keys from `from` up to `to`, which is outside; absent: no bound. NULL belongs to the range without `from`. */
export interface KeyRange {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

/** Selects the rows of a tablet with a key in one of the ranges. */
export interface TabletKeys {
  /** `Column.id`. */
  readonly column: number;
  /** Ascending; no two of them touch. */
  readonly ranges: readonly KeyRange[];
  /** How many rows that is, about. The numbers of all shares of a tablet add up to its rows. */
  readonly rows: number;
}
