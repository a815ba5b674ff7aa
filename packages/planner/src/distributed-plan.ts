import type { Conjunct } from '@tessera/tablet';

/** Identifies a stage of a plan, counted from 0. A refined plan keeps the ids of stages that have started. */
export type StageId = number;

/** Kernel SQL with placeholders: a number stands for the relation of the source at that position in `sources`. */
export type SqlTemplate = readonly (string | number)[];

/** Number of hash buckets. A task that reads an exchange in `hash` mode reads a range of them. */
export { HASH_BUCKETS } from '@tessera/common';

/** One input of a stage. */
export type StageSource = ScanSource | SessionSource | ExchangeSource;

export interface ScanSource {
  readonly kind: 'scan';
  /** The table's bound name. */
  readonly relation: string;
  /** The columns that the stage reads, by name. The source's relation has no others. */
  readonly columns: readonly string[];
  /** Conditions that the stage applies to every row, used to prune tablets and granules. Their columns are among `columns`. */
  readonly filters: readonly Conjunct[];
  /** `source`: the tablets are divided among the tasks. `replicated`: every task reads the whole table. */
  readonly partitioning: 'source' | 'replicated';
  /**
   * The rows are divided by ranges of the table's key (`TableFacts.key`), and not by tablets alone: a task has the rows of the same
   * keys of all scans of the stage with this domain. Only with `source`.
   */
  readonly keyDomain?: string | undefined;
  /** Keys of finished stages that reduce this scan: rows whose key did not occur there are not needed. */
  readonly dynamicFilters: readonly DynamicFilter[];
}

export interface DynamicFilter {
  readonly column: string;
  readonly stage: StageId;
  /** Position in the stage's `output.columns`. */
  readonly key: number;
  /** Every row is tested, because rows that pass are moved. Otherwise the keys only prune tablets and granules. */
  readonly filtersRows?: boolean | undefined;
}

/** A relation that exists only in the session of the query. A stage that reads one runs there, in one task. */
export interface SessionSource {
  readonly kind: 'session';
  /** SQL of the relation, as it stands in FROM. */
  readonly sql: string;
}

export interface ExchangeSource {
  readonly kind: 'exchange';
  readonly stage: StageId;
  /**
   * `hash`: each task reads its range of hash buckets from every producer. `broadcast`: every task reads all rows. `gather`: the
   * only task reads all rows. `forward`: task i reads the output of task i on the node where it was made.
   */
  readonly mode: 'hash' | 'broadcast' | 'gather' | 'forward';
}

export interface StageColumn {
  readonly name: string;
  /** SQL of the type. */
  readonly type: string;
}

/**
 * One SQL statement, run by one or more tasks, each over its part of the sources.
 *
 * `source` partitioning: one task for each node that has tablets of the partitioned scans (at least one), or for each task of the
 * stage that is forwarded. `hash`: tasks over ranges of hash buckets; their number follows from the sizes of the inputs.
 * `single`: one task on any node. `coordinator`: one task in the session of the query.
 */
export interface Stage {
  readonly id: StageId;
  readonly partitioning: 'source' | 'hash' | 'single' | 'coordinator';
  readonly sources: readonly StageSource[];
  /**
   * Positions of `hash` sources whose buckets may be sliced when they are too large: the rows of one of these sources may be
   * divided between tasks if each task reads the whole bucket of all other sources. This holds for the probe side of a join
   * that emits no unmatched build rows.
   */
  readonly sliceable?: readonly number[] | undefined;
  /** All sources are exchanges, and tasks that each read a part of them produce together the rows that one task would produce. */
  readonly isRowWise?: boolean | undefined;
  /** Its columns are named as `output.columns`. */
  readonly sql: SqlTemplate;
  readonly output: {
    readonly columns: readonly StageColumn[];
    /** Positions in `columns` of the hash keys. Empty: the output has no hash buckets. */
    readonly hashKeys: readonly number[];
    /** Positions in `columns` whose values a finished task summarises, for dynamic filters. */
    readonly summarised: readonly number[];
    /** Positions among `summarised` for which it also builds a filter that rows are tested against. */
    readonly filterKeys?: readonly number[] | undefined;
  };
  readonly estimate: { readonly rows: number; readonly bytes: number };
  /** Stages that this one waits for without reading them, because their sizes decide how this one runs. */
  readonly after: readonly StageId[];
  /** A second attempt may produce other rows (volatile functions, LIMIT without a total order). */
  readonly isVolatile: boolean;
  /** Operators of the stage for EXPLAIN: one line each, indented by depth. */
  readonly outline: readonly string[];
}

/** Stages in topological order. The last one is the root: it runs in the session of the query and produces the result. */
export interface DistributedPlan {
  readonly stages: readonly Stage[];
  /** Descriptions of inputs of unbounded size that the plan gathers into one task. A good plan has none. */
  readonly unboundedGathers: readonly string[];
  /** Estimates of the whole query; plans that are put together by hand have none. */
  readonly choice?: NodeChoice | undefined;
}

/** An estimate of the whole query. */
export interface PlanCost {
  /** CPU time of all nodes together. */
  readonly cpuMs: number;
  /** CPU time of the longest chain of tasks that wait for each other. */
  readonly elapsedMs: number;
}

/** The number of nodes that a query is worth, and what it was weighed by. */
export interface NodeChoice {
  /** 1, or all that are available. */
  readonly nodes: number;
  /** The number of nodes that the plan is for. */
  readonly available: number;
  readonly oneNode: PlanCost;
  /** With this plan. */
  readonly allNodes: PlanCost;
}

/** Statistics of a table that the planner uses. */
export interface TableFacts {
  readonly rows: number;
  /** Stored size. */
  readonly bytes: number;
  readonly isDimension: boolean;
  /** Number of distinct values by column, where known. */
  readonly distinct: ReadonlyMap<string, number>;
  /** Columns by which the table is clustered: rows with equal values are mostly in the same tablet. */
  readonly clusteredBy?: ReadonlySet<string> | undefined;
  /** Number of tablets, or of files; 0 for an empty table. */
  readonly tablets: number;
  /** Files outside the managed store: no node keeps them, so that each task fetches what it reads. Absent for tables. */
  readonly external?: 'parquet' | 'text' | undefined;
  /** The column by whose ranges the table is divided among tasks, where it is. Tables of one domain have the same ranges. */
  readonly key?: { readonly column: string; readonly domain: string } | undefined;
}

export interface ClusterFacts {
  /** Number of nodes that can run tasks. */
  readonly nodes: number;
  /** Maximum size of a broadcast relation. */
  readonly broadcastLimitBytes: number;
  /** Where keys filter rows before these are moved: by estimate (the default), wherever it is right, or nowhere. */
  readonly joinKeyFilters?: 'auto' | 'always' | 'never' | undefined;
  /** Only tables smaller than this may be read in full by every task. */
  readonly wholeTableBytes: number;
  /** Memory of the kernel process of one node. */
  readonly nodeMemoryBytes: number;
  /** The rows of the result are written to a table, by all nodes where there are several. */
  readonly storesResult?: boolean | undefined;
  /** Maximum number of rows that a plan may gather into one task, other than the rows of the result. */
  readonly gatherLimitRows: number;
}

/** Actual size of the output of a finished stage. */
export interface FinishedStage {
  readonly rows: number;
  readonly bytes: number;
}
