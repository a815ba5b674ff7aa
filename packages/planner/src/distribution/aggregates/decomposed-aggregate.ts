import type { PlanExpression } from '../../plan-nodes.ts';

/** Refers to a column of a list by its position. */
type ColumnAt = (place: number) => PlanExpression;

/** An aggregate computed from partial aggregates over parts of the rows. */
export interface Decomposition {
  /** The partial aggregates, over rows of the input. */
  readonly partials: readonly PlanExpression[];
  /** Aggregates over all partial rows of a group that the terms need, computed first. */
  readonly totals?: ((partial: ColumnAt) => readonly PlanExpression[]) | undefined;
  /** Columns that are computed for each partial row. */
  readonly terms?: ((partial: ColumnAt, total: ColumnAt) => readonly PlanExpression[]) | undefined;
  /** Aggregates over a group's partial rows. Their columns are the partials, followed by the terms. */
  readonly mergers: (column: ColumnAt) => readonly PlanExpression[];
  /** The final value, computed from the mergers. */
  readonly result: (merged: ColumnAt) => PlanExpression;
}
