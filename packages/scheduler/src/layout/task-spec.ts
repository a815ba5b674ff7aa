import type { TaskOutcome, TaskSource } from '@tessera/distexec';
import type { StageId } from '@tessera/planner';
import type { ClusterNode } from '../cluster.ts';

/** The inputs of a task, independent of the attempts that count and of the node that will run it. */
export interface TaskSpec {
  readonly sources: readonly SourceSpec[];
  /** The node on which the task costs least. */
  readonly preferred: ClusterNode;
  /** The node whose share of the tables the rows are of. The task may run elsewhere, and its output be there. */
  readonly owner?: ClusterNode | undefined;
  /** The task whose output this one reads in `forward` mode: both run on the same node. */
  readonly follows?: { readonly stage: StageId; readonly task: number } | undefined;
}

export type SourceSpec = LeafSource | ExchangePart;

/** A scan or a session relation. */
export interface LeafSource {
  readonly kind: 'leaf';
  readonly source: TaskSource;
  /** Incarnation of the node whose share of the table this is. Another node reads the same tablets one by one. */
  readonly shareOf?: string | undefined;
}

/** A part of the output of a stage. */
export interface ExchangePart {
  readonly kind: 'exchange';
  readonly stage: StageId;
  /** Producer tasks, ascending; undefined: all. */
  readonly tasks?: readonly number[] | undefined;
  /** Hash buckets, `to` exclusive; undefined: all rows. */
  readonly buckets?: readonly [from: number, to: number] | undefined;
  /** One of `slices` parts of the rows of each producer, divided by row position. */
  readonly slice?: readonly [slice: number, slices: number] | undefined;
}

/** The output of the attempt of a task that counts, and its node. */
export interface TaskOutput {
  readonly node: ClusterNode;
  /** The node whose share of the tables the rows are of; absent where they are of several. */
  readonly owner?: ClusterNode | undefined;
  readonly attempt: number;
  readonly outcome: TaskOutcome;
}
