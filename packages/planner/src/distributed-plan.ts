import type { Conjunct } from '@tessera/tablet';
import type { PlanOutline } from './explain/plan-outline.ts';

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
   * The domain if the rows are divided by ranges of the table's key (`TableFacts.key`) and not only by
   * tablets: a task then has the rows with the same keys from all scans of the stage in this domain. Only
   * with `source`.
   */
  readonly keyDomain?: string | undefined;
  /**
   * Only for `replicated`: a task needs only the rows with values of this column in its own ranges of the
   * domain's keys, because they meet rows that are divided by these ranges. A scan may return more rows.
   */
  readonly withinKeys?: { readonly column: string; readonly domain: string } | undefined;
  /** Keys of finished stages that reduce this scan: rows whose key did not occur there are not needed. */
  readonly dynamicFilters: readonly DynamicFilter[];
}

export interface DynamicFilter {
  readonly column: string;
  readonly stage: StageId;
  /** The position in the stage's `output.columns`. */
  readonly key: number;
  /**
   * Whether every row is tested, which pays if the remaining rows are moved. Otherwise the keys only prune
   * tablets and granules.
   */
  readonly filtersRows?: boolean | undefined;
}

/** A relation that exists only in the session of the query. A stage that reads one runs there, in one task. */
export interface SessionSource {
  readonly kind: 'session';
  /** SQL of the relation for FROM. */
  readonly sql: string;
}

export interface ExchangeSource {
  readonly kind: 'exchange';
  readonly stage: StageId;
  /**
   * `hash`: each task reads its range of hash buckets from every producer. `broadcast`: every task reads all
   * rows. `gather`: the only task reads all rows. `forward`: task i reads the output of task i on the node
   * that produced it.
   */
  readonly mode: 'hash' | 'broadcast' | 'gather' | 'forward';
}

export interface StageColumn {
  readonly name: string;
  /** The type as SQL. */
  readonly type: string;
}

/**
 * One SQL statement that one or more tasks run, each over its part of the sources.
 * `source` partitioning: one task per node that has tablets of the partitioned scans (at least one), or per
 * task of the forwarded stage. `hash`: tasks over ranges of hash buckets; their number depends on the sizes
 * of the inputs. `single`: one task on any node. `coordinator`: one task in the session of the query.
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
  /**
   * All sources are exchanges, and tasks that each read a part of them together produce the rows that one
   * task would produce.
   */
  readonly isRowWise?: boolean | undefined;
  /**
   * The only source is a stage with `output.sortKey`, whose rows the SQL sorts in the order of this key and
   * then processes one by one. Parts of these rows that follow each other by the key give the result part by
   * part.
   */
  readonly mergesSorted?: boolean | undefined;
  /** A task returns one row at most. */
  readonly hasOneRow?: boolean | undefined;
  /** Its statement holds no rows after it has run. */
  readonly holdsNoRows?: boolean | undefined;
  /** The SQL; its columns have the names of `output.columns`. */
  readonly sql: SqlTemplate;
  readonly output: {
    readonly columns: readonly StageColumn[];
    /** Positions in `columns` of the hash keys. Empty: the output has no hash buckets. */
    readonly hashKeys: readonly number[];
    /**
     * The position in `columns` of a BLOB by whose bytes the rows of each task are in order. The output then
     * has no hash keys.
     */
    readonly sortKey?: number | undefined;
    /** The columns in words that the user knows; absent for plans that were not made by `planDistributed`. */
    readonly texts?: (() => readonly string[]) | undefined;
    /** Positions in `columns` whose values a finished task summarises, for dynamic filters. */
    readonly summarised: readonly number[];
    /** Positions in `summarised` for which the task also builds a Bloom filter to test rows against. */
    readonly filterKeys?: readonly number[] | undefined;
  };
  /** `cpuMs`: of all tasks together; absent for plans that were not made by `planDistributed`. */
  readonly estimate: { readonly rows: number; readonly bytes: number; readonly cpuMs?: number | undefined };
  /** Stages that this one waits for without reading them, because their sizes decide how it runs. */
  readonly after: readonly StageId[];
  /** Whether a second attempt may produce other rows (volatile functions, LIMIT without a total order). */
  readonly isVolatile: boolean;
  /** The operators of the stage for EXPLAIN: one line each, indented by depth. */
  readonly outline: () => readonly string[];
  /** The same as a tree; absent for plans that were not made by `planDistributed`. */
  readonly operators?: (() => PlanOutline) | undefined;
}

/** Stages in topological order. The last one is the root: it runs in the session of the query and produces the result. */
export interface DistributedPlan {
  readonly stages: readonly Stage[];
  /** Descriptions of inputs of unbounded size that the plan gathers into one task. A good plan has none. */
  readonly unboundedGathers: readonly string[];
  /** Estimates for the whole query; absent for plans that were not made by `planDistributed`. */
  readonly choice?: NodeChoice | undefined;
}

/** An estimate of the whole query. */
export interface PlanCost {
  /** CPU time of all nodes together. */
  readonly cpuMs: number;
  /** CPU time of the longest chain of tasks that wait for each other. */
  readonly elapsedMs: number;
}

/** The chosen number of nodes, with the estimates that the choice compared. */
export interface NodeChoice {
  /** Either 1 or all available nodes. */
  readonly nodes: number;
  /** The number of nodes that the plan is for. */
  readonly available: number;
  readonly oneNode: PlanCost;
  /** The cost of this plan. */
  readonly allNodes: PlanCost;
}

/** The NULLs and the most common values of a column, by their shares of the table's rows. */
export interface ValueShares {
  /** Undefined if it is unknown. */
  readonly nulls: number | undefined;
  /** Keyed by the kernel's VARCHAR of the value. Empty if no value is known to be common. */
  readonly common: ReadonlyMap<string, number>;
}

/** The values of a table's columns. */
export interface TableValues {
  /** Changes whenever `of` may return something else for a column. */
  readonly version: number;
  /** Asks for a column that an estimate depends on. If it was not sampled yet, that happens in the background. */
  of(column: string): ValueShares | undefined;
}

/** Statistics of a table that the planner uses. */
export interface TableFacts {
  readonly rows: number;
  /** The stored size in bytes. */
  readonly bytes: number;
  readonly isDimension: boolean;
  /** Number of distinct values by column, where known. */
  readonly distinct: ReadonlyMap<string, number>;
  /** Absent for files, of which only sizes are known. */
  readonly values?: TableValues | undefined;
  /** Columns by which the table is clustered: rows with equal values are mostly in the same tablet. */
  readonly clusteredBy?: ReadonlySet<string> | undefined;
  /** The number of tablets or files; 0 for an empty table. */
  readonly tablets: number;
  /**
   * Set for files outside the managed store: no node keeps them, so each task fetches what it reads. Absent
   * for tables.
   */
  readonly external?: 'parquet' | 'text' | undefined;
  /** Whether one node has these files, as those of an upload, and serves them to the others. */
  readonly isServedByNode?: boolean | undefined;
  /**
   * The column by whose ranges the table is divided among tasks, if it is. Tables of one domain have the same
   * ranges.
   */
  readonly key?: { readonly column: string; readonly domain: string } | undefined;
}

export interface ClusterFacts {
  /** Number of nodes that can run tasks. */
  readonly nodes: number;
  /** The maximum size of a broadcast relation, in bytes. */
  readonly broadcastLimitBytes: number;
  /**
   * Where join keys filter rows before they are moved: where the estimate favours it (the default), wherever
   * it is correct, or nowhere.
   */
  readonly joinKeyFilters?: 'auto' | 'always' | 'never' | undefined;
  /** Only tables smaller than this may be read in full by every task. */
  readonly wholeTableBytes: number;
  /** The memory of the kernel process of one node, in bytes. */
  readonly nodeMemoryBytes: number;
  /** Whether the rows of the result are written to a table, by all nodes if there are several. */
  readonly storesResult?: boolean | undefined;
  /** Maximum number of rows that a plan may gather into one task, other than the rows of the result. */
  readonly gatherLimitRows: number;
}

/** The actual size of the output of a finished stage. */
export interface FinishedStage {
  readonly rows: number;
  readonly bytes: number;
}
