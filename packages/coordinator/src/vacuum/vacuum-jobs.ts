import { measurement } from '@tessera/common';

/** A job of vacuum or merging that has ended. */
export interface VacuumJobEnd {
  /** `ok`, or the name of the error. */
  readonly outcome: string;
  /** Those that were to be replaced. */
  readonly tablets: number;
}

export const vacuumJobEnds = measurement<VacuumJobEnd>('vacuum-job');
