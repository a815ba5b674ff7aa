import type { InputRelation, ScanRelation, SessionRelation } from '../relation.ts';

export type LeafRelation = ScanRelation | SessionRelation | InputRelation;

/** A relation that is put in when the SQL runs. */
export interface Leaf {
  readonly hole: number;
  /** What it calls the columns of the leaf. */
  readonly columns: readonly string[];
}
