import type { TableObject } from '@tessera/catalog';
import type { Incarnation, NodeName, QueryId } from '@tessera/common';
import type { FileSource } from '@tessera/file-scan';
import type { KernelSession, OperatorProfile } from '@tessera/kernel';
import type {
  OutputShape,
  ResultOutput,
  ResultPart,
  ShuffleBlock,
  StoredOutput,
  TaskKey,
} from '@tessera/shuffle';
import type { ReadCounts, ScanTablet } from '@tessera/storage-agent';
import type { KeyRange } from '@tessera/tablet';
import type { BloomFilter } from './bloom-filter.ts';

/** SQL of the kernel in which a number represents the relation of the source at that position. */
export type TaskSql = readonly (string | number)[];

export type TaskSource = TableScan | ExchangeBlocks | FileSource | SessionRelation;

export interface TableScan {
  readonly kind: 'scan';
  readonly table: TableObject;
  readonly tablets: readonly ScanTablet[];
  /** The ids of the columns to read. */
  readonly columns: readonly number[];
  /**
   * Set if `tablets` are all tablets of the node's share of the table at this version; undefined if they are
   * a selection.
   */
  readonly shareAtVersion?: number | undefined;
  /**
   * The share of the table that the node is responsible for (`TabletShare.shareId`); undefined means the
   * whole table.
   */
  readonly shareId?: string | undefined;
  /**
   * The version of the table's contents, if `tablets` are a selection from the node's share; the node may
   * hold more than these.
   */
  readonly choiceAtVersion?: number | undefined;
  /** Filters on keys: rows must satisfy all of them. */
  readonly keyFilters?: readonly KeyFilter[] | undefined;
}

/**
 * The keys for which rows of a scan can have a match: the listed `values`, those in one of the `ranges`, or
 * those between `min` and `max` that the Bloom filter contains.
 */
export interface KeyFilter {
  /** The name of the table's column. */
  readonly column: string;
  readonly values?: readonly string[] | undefined;
  /** Ascending ranges that do not touch. NULL is in none of them. */
  readonly ranges?: readonly KeyRange[] | undefined;
  readonly min?: string | undefined;
  readonly max?: string | undefined;
  readonly bloom?: BloomFilter | undefined;
}

export interface ExchangeBlocks {
  readonly kind: 'exchange';
  readonly blocks: readonly ShuffleBlock[];
  readonly shape: OutputShape;
}

/** A relation that already exists in the session that runs the task. */
export interface SessionRelation {
  readonly kind: 'session';
  readonly sql: string;
}

export interface Task {
  readonly key: TaskKey;
  readonly sql: TaskSql;
  readonly sources: readonly TaskSource[];
  readonly output: OutputShape & {
    /** The positions of the columns whose values are summarised. */
    readonly summarised: readonly number[];
    /** The positions in `summarised` for which a Bloom filter is built, too. */
    readonly filterKeys?: readonly number[] | undefined;
  };
  readonly timeZone: string;
  /**
   * If set, the rows are written as tablets. The output then lists these tablets in a single VARCHAR column
   * (`tabletOfRow`).
   */
  readonly sink?: TabletSink | undefined;
  /**
   * Waits until nothing else runs on the node and holds back other tasks meanwhile. Used for a task that ran
   * out of memory.
   */
  readonly alone?: boolean | undefined;
  /** Whether there are so few rows that all are computed in one step (`KernelSession.query`). */
  readonly fewRows?: boolean | undefined;
  /** Whether its statement holds no rows after it has run. Such a statement stays prepared for the next task that runs the same SQL. */
  readonly holdsNoRows?: boolean | undefined;
  /** Whether `TaskOutcome.profile` is wanted. */
  readonly profiled?: boolean | undefined;
  /** See `SessionOptions` of the kernel; not used by a task that runs in the session of its query. */
  readonly maxThreads?: number | undefined;
  /** See `SessionOptions` of the kernel; true by default. */
  readonly sharesTables?: boolean | undefined;
  /** The span that the task belongs to (W3C Trace Context); undefined if its trace is not recorded. */
  readonly traceparent?: string | undefined;
}

/**
 * The table that a task writes its rows for. The task's SQL returns them by their stored names, in order,
 * with their types.
 */
export interface TabletSink {
  readonly table: TableObject;
  /** SQL of the kernel over the stored names; see `WriteOptions`. */
  readonly partitionSql: readonly string[];
  readonly minBytes: number;
  readonly maxBytes: number;
}

/**
 * A summary of the values in one column of an output, as texts that can be cast to the column's type. It is
 * empty if there are no rows or only NULLs.
 */
export interface KeySummary {
  readonly column: number;
  readonly min?: string | undefined;
  readonly max?: string | undefined;
  /** All distinct values, if there are few. */
  readonly values?: readonly string[] | undefined;
  /** A Bloom filter that contains all values, with false positives. */
  readonly bloom?: BloomFilter | undefined;
}

/** What a task has read of a table. */
export interface SourceRead extends ReadCounts {
  /** The position in the task's sources. */
  readonly source: number;
}

export interface TaskOutcome extends Omit<StoredOutput, 'profile'> {
  readonly cpuMs: number;
  readonly elapsedMs: number;
  readonly fetchedRows: number;
  readonly fetchedBytes: number;
  readonly storageBytesFetched: number;
  readonly storageBytesCached: number;
  readonly reads: readonly SourceRead[];
  /** What the task wrote to spill files: its output, what it fetched, and about what its statement took. */
  readonly spilledBytes: number;
  readonly summaries: readonly KeySummary[];
  /** The figures of its operators; undefined without `Task.profiled`, and for tasks that write tablets. */
  readonly profile?: TaskProfile | undefined;
}

/** The memory and the operators of a task in its kernel. */
export interface TaskProfile {
  /** The most memory that queries held on the node while the task ran. */
  readonly peakMemoryBytes: number;
  readonly operators: TaskOperator;
}

/** An operator of a task. */
export interface TaskOperator extends Omit<OperatorProfile, 'description' | 'inputs'> {
  /** The position of the source that it reads; undefined if it reads none, or if it is unknown which one. */
  readonly source?: number | undefined;
  readonly inputs: readonly TaskOperator[];
}

export interface TaskProgress {
  /** The progress of the running statement from 0 to 100; undefined if it is unknown, or a guess because most of its work is not counted. */
  readonly percent?: number | undefined;
  /** Whether the output is large and its first rows can be read while the task runs. */
  readonly hasRows?: boolean | undefined;
  /** The CPU time of the task so far in milliseconds; undefined or 0 if the system does not tell. */
  readonly cpuMs?: number | undefined;
}

export interface RunTaskOptions {
  readonly signal: AbortSignal;
  readonly onProgress?: ((progress: TaskProgress) => void) | undefined;
  /** The session to run in; if undefined, the task gets a session of its own. */
  readonly session?: KernelSession | undefined;
}

/** The sources of a task after they were made readable in a session, in the order of the task's sources. */
export interface OpenedSources {
  /** The task's SQL over these sources. */
  readonly sql: string;
  readonly fetchedRows: number;
  readonly fetchedBytes: number;
  /** Fetched bytes that are in spill files. */
  readonly spilledBytes: number;
  readonly storageBytesFetched: number;
  readonly storageBytesCached: number;
  readonly reads: readonly SourceRead[];
  release(): void;
}

/** The last step of a query whose rows are read while the tasks run that produce them. */
export interface ResultTask {
  /** Processes the rows of its sources one by one. */
  readonly sql: TaskSql;
  /** The shapes of its sources. */
  readonly shapes: readonly OutputShape[];
  /** The positions of the sources that consist of the outputs, at least one. The other sources are empty. */
  readonly reads: readonly number[];
  readonly outputs: readonly ResultOutput[];
}

/** The parts of a task from which its sources are opened. */
export type TaskToOpen = Pick<Task, 'sql' | 'sources' | 'profiled'>;

/** Runs tasks on this node. */
export interface DistExec {
  /** The name of the node, for errors and for other nodes. */
  readonly node: NodeName;
  readonly incarnation: Incarnation;
  /** @throws TesseraError the error of the task; QUERY_CANCELLED */
  runTask(task: Task, options: RunTaskOptions): Promise<TaskOutcome>;
  /** Makes sources readable without running a task; used for the root of a query. */
  open(task: TaskToOpen, session: KernelSession, signal: AbortSignal): Promise<OpenedSources>;
  /** Makes the rows of a result readable part by part; see `Shuffle.results`. */
  results(task: ResultTask, session: KernelSession, signal: AbortSignal): AsyncGenerator<ResultPart, void>;
  /** Stops the tasks of the query and releases their outputs; see `ReleaseQueryRequest`. */
  release(
    queryId: QueryId,
    which?: { readonly run?: number; readonly stages?: readonly number[] },
  ): Promise<void>;
  /** The number of tasks, including those that wait for a slot. */
  readonly runningTasks: number;
  /** The number of tasks that wait for a slot. */
  readonly waitingTasks: number;
  /** The approximate size in bytes of the outputs that are kept for other tasks. */
  readonly exchangeBytes: number;
  close(): Promise<void>;
}
