import type { Conjunct } from '@tessera/tablet';

/** What a statement reads of one table, all its appearances in the statement taken together. */
export interface TableScan {
  /** The name the mirror has for the table. */
  readonly relation: string;
  /** Names of the columns that the result depends on. */
  readonly columns: readonly string[];
  /** Names of all columns that the statement names, be it by a star, whether anything comes of it or not. */
  readonly named: readonly string[];
  /** Of each appearance: a tablet is needed if it may hold rows for one of them. */
  readonly filters: readonly (readonly Conjunct[])[];
}
