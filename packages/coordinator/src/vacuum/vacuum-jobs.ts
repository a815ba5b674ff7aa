import { measurement } from '@tessera/common';

/** A finished job of vacuum or merging. */
export interface VacuumJobEnd {
  /** `ok`, or the name of the error. */
  readonly outcome: string;
  /** The number of tablets that were to be replaced. */
  readonly tablets: number;
}

export const vacuumJobEnds = measurement<VacuumJobEnd>('vacuum-job');
