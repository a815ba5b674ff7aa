import type { KeyedFragment } from './fragment.ts';

/** Sides of a join whose rows are in the same task as all rows that they match. */
export interface CoLocatedSides {
  readonly left: KeyedFragment;
  readonly right: KeyedFragment;
  /** A column that both are divided by, in each. */
  readonly keys: { readonly left: number; readonly right: number };
}

/** A way to bring the two sides of a join together. */
export type JoinStrategy =
  | { readonly kind: 'single' }
  /** Each task has the rows of both sides with the same ranges of a key. */
  | { readonly kind: 'co-located'; readonly sides: CoLocatedSides }
  /** Every task of the other side computes all rows of this side. */
  | { readonly kind: 'replicated'; readonly side: 'left' | 'right' }
  /** Every task of the other side reads all rows of this side. */
  | { readonly kind: 'broadcast'; readonly side: 'left' | 'right' }
  | { readonly kind: 'hash'; readonly leftKeys: readonly number[]; readonly rightKeys: readonly number[] };

/** A strategy with its cost in CPU µs, which is infinite if it would exceed a limit. */
export interface WeighedStrategy {
  readonly strategy: JoinStrategy;
  readonly cost: number;
}
