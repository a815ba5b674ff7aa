import type { InputRelation, ScanRelation, SessionRelation } from '../relation.ts';

export type LeafRelation = ScanRelation | SessionRelation | InputRelation;

/** A relation that is inserted when the SQL runs. */
export interface Leaf {
  readonly hole: number;
  /** The names of the leaf's columns. */
  readonly columns: readonly string[];
}
