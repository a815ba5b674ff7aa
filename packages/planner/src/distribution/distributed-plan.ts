import type { Conjunct } from '@tessera/tablet';

/** Counts up from 0 in a plan; a plan that was refined keeps the ids of stages that were started. */
export type StageId = number;

/** SQL of the kernel, in which a number stands for a relation to be put there: a position in `sources`. */
export type SqlTemplate = readonly (string | number)[];

/** A task of a `hashed` source reads a range of them. */
export { HASH_BUCKETS } from '@tessera/common';

/** A relation that a stage reads. */
export type StageSource = ScanSource | LocalSource | ExchangeSource;

export interface ScanSource {
  readonly kind: 'scan';
  /** The table's bound name. */
  readonly relation: string;
  /** Columns by name: what the stage's rows depend on; the others are not in the relation that stands for the source. */
  readonly columns: readonly string[];
  /** Conditions that every row must meet to matter, to prune by; their columns are among `columns`. */
  readonly filters: readonly Conjunct[];
  /** Each task reads the tablets of its node, or every task all of them. */
  readonly spread: 'sharded' | 'whole';
  /** Rows whose key no finished stage gave need not be read: pruned by what the stages tell of their keys. */
  readonly dynamicFilters: readonly DynamicFilter[];
}

export interface DynamicFilter {
  readonly column: string;
  readonly stage: StageId;
  /** Position in the stage's `output.columns`. */
  readonly key: number;
}

/** What only the session of the query has; a stage with such a source runs there, in one task. */
export interface LocalSource {
  readonly kind: 'local';
  /** As it stands in FROM. */
  readonly sql: string;
}

export interface ExchangeSource {
  readonly kind: 'exchange';
  readonly stage: StageId;
  /**
   * `hashed`: a task reads the rows of its range of buckets of every task; `broadcast`, `gathered`: each task reads all
   * rows; `forward`: task i reads what task i of the stage left, where it is.
   */
  readonly mode: 'hashed' | 'broadcast' | 'gathered' | 'forward';
}

export interface StageColumn {
  readonly name: string;
  /** SQL of the type. */
  readonly type: string;
}

/**
 * One piece of SQL, run by one or more tasks, each over its part of the sources.
 * `shards`: a task for each node that has tablets of the sharded scans, one at least, or for each task of the forwarded stage.
 * `buckets`: tasks over ranges of hash buckets, as many as the sizes want. `single`: one task. `coordinator`: one task,
 * in the session of the query.
 */
export interface Stage {
  readonly id: StageId;
  readonly spread: 'shards' | 'buckets' | 'single' | 'coordinator';
  readonly sources: readonly StageSource[];
  /**
   * Positions of `hashed` sources of which one at a time may be cut anywhere within a bucket, when each part meets the whole
   * bucket of all other sources (the probe side of a join that emits no unmatched build rows); for buckets that are too large.
   */
  readonly sliceable?: readonly number[] | undefined;
  /** All its sources are exchanges, and tasks that read parts of them give together what one task gives that reads them whole. */
  readonly isRowWise?: boolean | undefined;
  /** Its columns are named as `output.columns`. */
  readonly sql: SqlTemplate;
  readonly output: {
    readonly columns: readonly StageColumn[];
    /** Positions in `columns` by which the rows can be read in buckets; empty: they cannot. */
    readonly hashKeys: readonly number[];
    /** Positions in `columns` whose values are to be told when a task has finished, for dynamic filters. */
    readonly summarised: readonly number[];
  };
  readonly estimate: { readonly rows: number; readonly bytes: number };
  /** Stages that must have finished first although nothing is read of them: their sizes decide about this one. */
  readonly after: readonly StageId[];
  /** A second run may give other rows (volatile functions, LIMIT without a total order). */
  readonly isVolatile: boolean;
  /** What the stage does, for people: one line for each operator, indented by depth. */
  readonly outline: readonly string[];
}

/** Stages in an order in which each stands behind those it reads. The last is the root: `coordinator`, and its rows the result's. */
export interface DistributedPlan {
  readonly stages: readonly Stage[];
  /** Inputs without a bound that are gathered in one place, in words; empty for a plan as it should be. */
  readonly unboundedGathers: readonly string[];
}

/** What is known of a table when a plan is made. */
export interface TableFacts {
  readonly rows: number;
  /** Stored. */
  readonly bytes: number;
  readonly isDimension: boolean;
  /** Numbers of distinct values, where known. */
  readonly distinct: ReadonlyMap<string, number>;
  /** Columns of which rows with the same value are mostly in the same tablet. */
  readonly clusteredBy?: ReadonlySet<string> | undefined;
  /** How many tablets; 0 for an empty table. */
  readonly tablets: number;
}

export interface ClusterFacts {
  /** That can run tasks. */
  readonly nodes: number;
  /** The most that a broadcast relation may have. */
  readonly broadcastLimitBytes: number;
  /** A table of fewer bytes is read whole on every node. */
  readonly wholeTableBytes: number;
  /** The most rows that a plan may gather in one place, when the gather is not one of a result. */
  readonly gatherLimitRows: number;
}

/** What became of a stage. */
export interface FinishedStage {
  readonly rows: number;
  readonly bytes: number;
}
