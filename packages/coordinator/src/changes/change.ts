import type { Action } from '@tessera/catalog';

/** What a statement wants committed. */
export interface Change {
  readonly actions: readonly Action[];
  readonly affectedRows?: number;
}

export const NO_CHANGE: Change = { actions: [] };
