import type { PlanExpression } from '../../plan-nodes.ts';

/** Refers to one of a row of columns by its place among them. */
export type ColumnAt = (place: number) => PlanExpression;

/** An aggregate as one of aggregates of parts of the rows. */
export interface Decomposition {
  /** Over rows of the input. */
  readonly partials: readonly PlanExpression[];
  /** Of each group of partial rows first: sums that the terms are made with. */
  readonly totals?: ((partial: ColumnAt) => readonly PlanExpression[]) | undefined;
  /** Columns computed for each partial row. */
  readonly terms?: ((partial: ColumnAt, total: ColumnAt) => readonly PlanExpression[]) | undefined;
  /** Aggregates of a group's partial rows, over the partials and, behind them, the terms. */
  readonly mergers: (column: ColumnAt) => readonly PlanExpression[];
  /** The value, from the mergers. */
  readonly result: (merged: ColumnAt) => PlanExpression;
}
