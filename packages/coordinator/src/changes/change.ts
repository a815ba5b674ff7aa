import type { Action } from '@tessera/catalog';
import type { BoundQuery } from '../read/bound-query.ts';

/** What a statement wants committed. */
export interface Change {
  readonly actions: readonly Action[];
  readonly affectedRows?: number;
  /** What RETURNING gives: a query that is ready to run. Whoever takes the change releases it. */
  readonly returned?: BoundQuery | undefined;
}

export const NO_CHANGE: Change = { actions: [] };
