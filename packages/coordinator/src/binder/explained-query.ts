/**
 * The answer of `EXPLAIN (FORMAT JSON)` and `EXPLAIN (ANALYZE, FORMAT JSON)`. A member that is undefined here is
 * absent there. Times are in milliseconds, sizes in bytes. Figures of what happened exist only with ANALYZE.
 */
interface ExplainedPartRows {
  readonly text: string;
  readonly kept: boolean;
  readonly rows?: number | undefined;
  readonly bytes?: number | undefined;
}

export interface ExplainedQuery {
  /** Whether the query was executed. */
  readonly analyzed: boolean;
  readonly nodes: ExplainedNodes;
  /**
   * In topological order; the last one, the root, runs on the node that answers. A query on one node has only that
   * one.
   */
  readonly stages: readonly ExplainedStage[];
  /** How each managed table is read, and each table of files outside the managed store. */
  readonly tables: readonly object[];
  readonly aggregating_indexes: readonly ExplainedIndex[];
  /** Columns whose values are regular expressions, and how many of these are compiled once each. */
  readonly regular_expressions: readonly {
    readonly table: string;
    readonly column: string;
    readonly compiled: number;
  }[];
  /** Only with ANALYZE, and only if this node keeps results. */
  readonly result_cache?: ExplainedResultCache | undefined;
  /** Only with ANALYZE: the parts whose rows may be kept for later queries. */
  readonly parts?: readonly ExplainedPartRows[] | undefined;
  /** For example that an input of unbounded size is gathered on one node. */
  readonly warnings: readonly string[];
  /** The time from the start of the first stage to the end of the last one. */
  readonly elapsed_ms?: number | undefined;
}

interface ExplainedResultCache {
  /** Whether the result may be returned to later queries. */
  readonly reusable: boolean;
  /** Whether it is kept, so that the query without EXPLAIN is not computed. */
  readonly kept: boolean;
  /** Why it is not reusable. */
  readonly reason?: string | undefined;
  /** The size of the result that is kept. */
  readonly rows?: number | undefined;
  readonly bytes?: number | undefined;
}

interface ExplainedIndex {
  readonly index: string;
  readonly table: string;
  readonly used: boolean;
  /** Why it is not used. */
  readonly reason?: string | undefined;
  /** The rows of the index that are read, and those of the table that are read besides and would be read without it. */
  readonly partial_rows: number;
  readonly rows_without_partials: number;
  readonly table_rows: number;
}

export interface ExplainedNodes {
  /** The number of nodes that the plan is for. */
  readonly chosen: number;
  readonly available: number;
  /** Why a query of large tables runs on one node. */
  readonly reason?: string | undefined;
  /** The estimates that the choice compared. */
  readonly on_one_node?: ExplainedCost | undefined;
  readonly on_all_nodes?: ExplainedCost | undefined;
}

interface ExplainedCost {
  readonly cpu_ms: number;
  /** The CPU time of the longest chain of tasks that wait for each other. */
  readonly elapsed_ms: number;
}

export interface ExplainedStage {
  readonly stage: number;
  /** Where it runs: `coordinator` is the node that answers. */
  readonly partitioning: 'source' | 'hash' | 'single' | 'coordinator';
  /** The stages whose outputs it reads. */
  readonly inputs: readonly number[];
  /** The names of the columns by which its output is divided among tasks. */
  readonly hash_keys: readonly string[];
  readonly estimated_rows?: number | undefined;
  readonly estimated_bytes?: number | undefined;
  /** The operator that produces the output, with its inputs. */
  readonly operators: ExplainedOperator;
  readonly tasks?: number | undefined;
  /** Greater than `tasks` if tasks were repeated. */
  readonly attempts?: number | undefined;
  /** From the start of the first task to the end of the last one. */
  readonly elapsed_ms?: number | undefined;
  /** The CPU time of all tasks together. */
  readonly cpu_ms?: number | undefined;
  /** Rows and bytes of the output. */
  readonly rows?: number | undefined;
  readonly bytes?: number | undefined;
  /** The rows of the largest task divided by the mean: 1 if all tasks have the same number. */
  readonly skew?: number | undefined;
  /** The most memory that queries held on a node while a task of the stage ran. */
  readonly peak_memory_bytes?: number | undefined;
  readonly bytes_from_other_nodes?: number | undefined;
  readonly bytes_from_storage?: number | undefined;
  readonly bytes_spilled?: number | undefined;
  /** The figures of each node. */
  readonly nodes?: readonly ExplainedNode[] | undefined;
}

export interface ExplainedNode {
  readonly node: string;
  readonly tasks: number;
  readonly rows: number;
  readonly bytes: number;
  readonly cpu_ms: number;
  /** The time of its slowest task. */
  readonly elapsed_ms: number;
  readonly bytes_from_other_nodes: number;
  readonly bytes_from_storage: number;
  readonly bytes_spilled: number;
  readonly peak_memory_bytes: number;
}

/** The figures of an operator on one node. */
export interface ExplainedNodeOfOperator {
  readonly node: string;
  readonly rows: number;
  readonly time_ms: number;
  readonly bytes: number;
}

export interface ExplainedOperator {
  /** In the field's words: `Scan table`, `Filter`, `Hash join`, `Aggregate`, `Sort`, `Exchange`, … */
  readonly operator: string;
  /** Its conditions, groups, columns and so on as texts, by name. */
  readonly details: Readonly<Record<string, string>>;
  /** The operators whose rows it reads; of a hash join, the second one is built into the hash table. */
  readonly inputs: readonly ExplainedOperator[];
  /** The stage whose output an `Exchange` reads. */
  readonly stage?: number | undefined;
  readonly estimated_rows?: number | undefined;
  /** The rows that it returned, on all nodes. */
  readonly rows?: number | undefined;
  /** The time that all threads of all nodes spent in it, without its inputs. */
  readonly time_ms?: number | undefined;
  /** The size of the rows that it returned. */
  readonly bytes?: number | undefined;
  /** The rows that a scan read before its filter. */
  readonly rows_scanned?: number | undefined;
  /** The time of the busiest node divided by the mean; absent on one node. */
  readonly skew?: number | undefined;
  /** The figures of each node, if there are several. */
  readonly nodes?: readonly ExplainedNodeOfOperator[] | undefined;
}
