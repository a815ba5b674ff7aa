import type { Conjunct } from '@tessera/tablet';

/** What a statement reads of one table, over all references to the table in the statement. */
export interface TableScan {
  /** The table's name in the mirror. */
  readonly relation: string;
  /** The names of the columns that the result depends on. */
  readonly columns: readonly string[];
  /**
   * The names of all columns that the statement names, including through a star, whether the result depends
   * on them or not.
   */
  readonly named: readonly string[];
  /** The filters of each reference. A tablet is needed if it may contain rows for one of them. */
  readonly filters: readonly (readonly Conjunct[])[];
}
