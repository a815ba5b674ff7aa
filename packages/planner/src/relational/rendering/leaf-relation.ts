import type { InputRelation, LocalRelation, ScanRelation } from '../relation.ts';

export type LeafRelation = ScanRelation | LocalRelation | InputRelation;

/** A relation that is put in when the SQL runs. */
export interface Leaf {
  readonly hole: number;
  /** What it calls the columns of the leaf. */
  readonly columns: readonly string[];
}
