import type { TaskOutcome, TaskSource } from '@tessera/distexec';
import type { StageId } from '@tessera/planner';
import type { ClusterNode } from '../cluster.ts';

/** What a task is to read, whichever attempt of the tasks before it will count and wherever it will run. */
export interface TaskSpec {
  readonly sources: readonly SourceSpec[];
  /** Where it costs least. */
  readonly preferred: ClusterNode;
  /** Runs where the output of this task is: what it forwards. */
  readonly follows?: { readonly stage: StageId; readonly task: number } | undefined;
}

export type SourceSpec = GivenSource | ExchangePart;

export interface GivenSource {
  readonly kind: 'given';
  readonly source: TaskSource;
  /** Incarnation of the node whose share of the table the source is; on another one it is a choice of tablets. */
  readonly shareOf?: string | undefined;
}

/** A part of what a stage left. */
export interface ExchangePart {
  readonly kind: 'exchange';
  readonly stage: StageId;
  /** Ascending; undefined: all. */
  readonly tasks?: readonly number[] | undefined;
  /** From, and to exclusive; undefined: all rows. */
  readonly buckets?: readonly [from: number, to: number] | undefined;
  /** This one of so many parts of each task's rows, cut where the rows happen to lie. */
  readonly slice?: readonly [slice: number, slices: number] | undefined;
}

/** What the attempt of a task that counts left, and where. */
export interface TaskOutput {
  readonly node: ClusterNode;
  readonly attempt: number;
  readonly outcome: TaskOutcome;
}
