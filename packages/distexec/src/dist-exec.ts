import type { TableObject } from '@tessera/catalog';
import type { FileSource } from '@tessera/file-scan';
import type { KernelSession } from '@tessera/kernel';
import type { OutputShape, ShuffleBlock, StoredOutput, TaskKey } from '@tessera/shuffle';
import type { ReadCounts, ScanTablet } from '@tessera/storage-agent';
import type { BloomFilter } from './bloom-filter.ts';

/** SQL of the kernel, in which a number stands for the relation of the source at that position. */
export type TaskSql = readonly (string | number)[];

export type TaskSource = TableScan | ExchangeBlocks | FileSource | SessionRelation;

export interface TableScan {
  readonly kind: 'scan';
  readonly table: TableObject;
  readonly tablets: readonly ScanTablet[];
  /** Ids of the columns that are read. */
  readonly columns: readonly number[];
  /** All tablets that the task's node is to keep of the table, at this version of its contents; undefined: `tablets` are a choice. */
  readonly shareAtVersion?: number | undefined;
  /** Which part of the table the node is to keep (`TabletShare.shareId`); undefined: the whole table. */
  readonly shareId?: string | undefined;
  /** Of the table's contents, when `tablets` are a choice of what the node is to keep; the node may read more than them. */
  readonly choiceAtVersion?: number | undefined;
  /** Rows that do not meet all of these are left out. */
  readonly keyFilters?: readonly KeyFilter[] | undefined;
}

/** The keys that rows of a scan have a match for: `values`, or those between `min` and `max` that are in the Bloom filter. */
export interface KeyFilter {
  /** Name of the table's column. */
  readonly column: string;
  readonly values?: readonly string[] | undefined;
  readonly min?: string | undefined;
  readonly max?: string | undefined;
  readonly bloom?: BloomFilter | undefined;
}

export interface ExchangeBlocks {
  readonly kind: 'exchange';
  readonly blocks: readonly ShuffleBlock[];
  readonly shape: OutputShape;
}

/** What the session that runs the task has anyway. */
export interface SessionRelation {
  readonly kind: 'session';
  readonly sql: string;
}

export interface Task {
  readonly key: TaskKey;
  readonly sql: TaskSql;
  readonly sources: readonly TaskSource[];
  readonly output: OutputShape & {
    /** Positions of columns whose values are to be told. */
    readonly summarised: readonly number[];
    /** Positions among `summarised` for which a Bloom filter is built as well. */
    readonly filterKeys?: readonly number[] | undefined;
  };
  readonly timeZone: string;
  /** Rows are not kept but written as tablets; the output, of one VARCHAR column, is the tablets (`tabletOfRow`). */
  readonly sink?: TabletSink | undefined;
  /** Waits until nothing else runs on the node and lets nothing start beside it: for a task that ran out of memory. */
  readonly alone?: boolean | undefined;
}

/** The table that rows of a task are written for, which its SQL gives by their stored names, in order, with their types. */
export interface TabletSink {
  readonly table: TableObject;
  /** SQL of the kernel over the stored names; see `WriteOptions`. */
  readonly partitionSql: readonly string[];
  readonly minBytes: number;
  readonly maxBytes: number;
}

/** The values of one column of an output, as texts that cast to the column's type; none for no rows or NULLs only. */
export interface KeySummary {
  readonly column: number;
  readonly min?: string | undefined;
  readonly max?: string | undefined;
  /** All distinct ones, when they are few. */
  readonly values?: readonly string[] | undefined;
  /** Has all values, and some others. */
  readonly bloom?: BloomFilter | undefined;
}

/** What a task reads of a table. */
export interface SourceRead extends ReadCounts {
  /** Position in the task's sources. */
  readonly source: number;
}

export interface TaskOutcome extends StoredOutput {
  readonly cpuMs: number;
  readonly elapsedMs: number;
  readonly fetchedRows: number;
  readonly fetchedBytes: number;
  readonly storageBytesFetched: number;
  readonly storageBytesCached: number;
  readonly reads: readonly SourceRead[];
  readonly spilledBytes: number;
  readonly summaries: readonly KeySummary[];
}

export interface TaskProgress {
  /** 0 to 100; undefined: not known. */
  readonly percent?: number | undefined;
}

export interface RunTaskOptions {
  readonly signal: AbortSignal;
  readonly onProgress?: ((progress: TaskProgress) => void) | undefined;
  /** Runs in it; otherwise in a session of its own. */
  readonly session?: KernelSession | undefined;
}

/** Sources of a task made readable in a session, in the order of the task's. */
export interface OpenedSources {
  /** The task's SQL over them. */
  readonly sql: string;
  readonly fetchedRows: number;
  readonly fetchedBytes: number;
  readonly storageBytesFetched: number;
  readonly storageBytesCached: number;
  readonly reads: readonly SourceRead[];
  release(): void;
}

/** Runs tasks on this node. */
export interface DistExec {
  /** Name of the node, for errors and other nodes. */
  readonly node: string;
  readonly incarnation: string;
  /** @throws TesseraError what failed, typed; QUERY_CANCELLED */
  runTask(task: Task, options: RunTaskOptions): Promise<TaskOutcome>;
  /** Makes sources readable without running anything: for the root of a query. */
  open(
    task: Pick<Task, 'sql' | 'sources'>,
    session: KernelSession,
    signal: AbortSignal,
  ): Promise<OpenedSources>;
  /** Stops tasks of the query and frees what they left; see `ReleaseQueryRequest`. */
  release(
    queryId: string,
    which?: { readonly run?: number; readonly stages?: readonly number[] },
  ): Promise<void>;
  /** Those that wait for their turn among them. */
  readonly runningTasks: number;
  /** Of those, the ones that wait for their turn. */
  readonly waitingTasks: number;
  /** Of outputs kept for others, about. */
  readonly exchangeBytes: number;
  close(): Promise<void>;
}
