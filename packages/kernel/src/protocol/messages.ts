import type { KernelColumn, KernelType } from '../types/kernel-type.ts';
import type { LongText, SqlText, WireParams } from './long-text.ts';
import type { RowText } from './row-text.ts';

/**
 * How the rows of a result are divided into batches. `prompt`: available rows do not wait long for more.
 * `full`: every batch except the last one has the maximum size. `sorted`: like `full`, and the rows of each
 * batch are sorted by the last column, a USMALLINT without NULLs that is the hash bucket of the row; a large
 * batch consists of several Arrow messages, each with a range of buckets.
 */
export type BatchMode = 'prompt' | 'full' | 'sorted';

/**
 * Whether a query has no more rows than one vector of the kernel (2,048), so that they can be computed before the first one
 * is sent. `perhaps`: up to 8,192 rows are computed in this way; if there are more, the query is run again and streamed, so
 * it must be possible to run it twice, and to append `LIMIT n` to its text.
 */
export type FewRows = boolean | 'perhaps';

interface Call {
  /** The session's time zone; null means the instance's default. It is set before the call if it differs. */
  readonly timeZone: string | null;
}

export type Request =
  | (Call & { readonly op: 'scalar'; readonly sql: SqlText; readonly params: WireParams })
  | (Call & { readonly op: 'describe'; readonly sql: SqlText })
  | (Call & {
      readonly op: 'execute';
      readonly sql: SqlText;
      readonly params: WireParams;
      /** The statement only creates and fills this temp table. */
      readonly creates?: string | undefined;
    })
  | (Call & {
      readonly op: 'query';
      readonly sql: SqlText;
      readonly params: WireParams;
      readonly maxBatchBytes: number;
      readonly batches: BatchMode;
      readonly keep: boolean;
      readonly fewRows: FewRows;
      /** Whether only the values of its one column, which is VARCHAR, are wanted: few rows then come as a `text` frame. */
      readonly isText: boolean;
      /** Instead of one VARCHAR column: how the rows, which are few, become the text. */
      readonly rowText?: RowText | undefined;
      /** Whether the same text always returns the same rows. */
      readonly isFixed: boolean;
      /**
       * Whether the query may run on the thread of the event loop if it was quick before, because it reads nothing, or always the
       * same rows while no other session is open.
       */
      readonly mayBlock: boolean;
      /** Whether the value of the reply is a `StatementProfile`. */
      readonly profiled: boolean;
    })
  | (Call & { readonly op: 'append'; readonly table: string; readonly schemaIpc: Uint8Array })
  | (Call & { readonly op: 'receive'; readonly name: string; readonly schemaIpc: Uint8Array })
  | (Call & { readonly op: 'dropReceived'; readonly name: string })
  | (Call & {
      readonly op: 'defineRelation';
      readonly name: string;
      readonly columns: readonly { readonly name: string; readonly type: string }[];
      readonly rows: number;
    })
  | (Call & { readonly op: 'dropRelation'; readonly name: string })
  | (Call & { readonly op: 'change'; readonly sql: SqlText })
  | { readonly op: 'dropAppended' }
  | { readonly op: 'attach'; readonly session: number };

/** Messages on the channel between the two processes, apart from the sessions' sockets. */
export type ControlRequest =
  | { readonly op: 'progress'; readonly id: number; readonly session: number; readonly planned: boolean }
  | { readonly op: 'memory'; readonly id: number }
  | { readonly op: 'limits'; readonly id: number; readonly limits: MemoryLimits; readonly ifItFits: boolean }
  | { readonly op: 'limitThreads'; readonly id: number; readonly threads: number };
/** For `limits`, whether they are in effect; for `limitThreads`, the socket for such sessions. */
export type ControlAnswer = QueryProgress | Omit<MemoryUse, 'limitBytes'> | boolean | string;
export type ControlMessage =
  | { readonly kind: 'ready' }
  | { readonly kind: 'answer'; readonly id: number; readonly value?: ControlAnswer; readonly error?: string };

/**
 * The end of a call. `dirty`: the connection now holds something that another session must not see.
 * `appended`: it holds nothing of that kind except tables created by appends or by `createTable`, and received rows.
 */
export interface Reply {
  readonly value?: unknown;
  readonly dirty?: boolean;
  readonly appended?: boolean;
}

/** Received rows that a session can read. */
export interface ReceivedRelation {
  readonly name: string;
  readonly rows: number;
  /** The relation, for FROM. */
  readonly sql: string;
  /** Bytes of the rows that are in a spill file. */
  readonly spilledBytes: number;
}

export interface WireError {
  /** The kernel's own text, possibly in its JSON form. */
  readonly message: string | LongText;
  /**
   * The SQL that ran, so that a byte position can be converted to a character offset. Undefined if it is that of the
   * request and long.
   */
  readonly sql?: string | undefined;
  /** Whether the process used nearly all of its memory. */
  readonly memoryIsShort?: boolean;
  readonly dirty?: boolean;
  readonly appended?: boolean;
}

export interface ResultHeader {
  readonly columns: readonly KernelColumn[];
  readonly schemaIpc: Uint8Array;
}

/** Rows of a query of one VARCHAR column. */
export interface TextRows {
  readonly rows: number;
  /** Their values, concatenated. */
  readonly bytes: Uint8Array;
  /** Whether there are no rows because their text would be too long for one answer. */
  readonly isTooLong?: boolean;
  /** Allows the memory of `bytes` to be reused, if that can be said. */
  release?(): void;
}

export interface StatementDescription {
  readonly columns: readonly KernelColumn[];
  /** The type of a parameter is null if the kernel cannot know it before the parameter has a value. */
  readonly parameters: readonly { readonly name: string; readonly type: KernelType | null }[];
}

/** The numbers of rows that the kernel's optimiser expects. */
export interface PlannedRows {
  /** The rows that all scans of the statement return together. */
  readonly scanned: number;
  /** The rows of the result; for COPY, the rows to write. */
  readonly returned: number;
}

export interface QueryProgress {
  /** The part of the estimated work that is done, from 0 to 1; -1 while it is unknown. */
  readonly fraction: number;
  readonly rowsProcessed: number;
  readonly rowsTotal: number;
  /** Undefined while it is unknown, and for a statement that cannot be planned again. */
  readonly planned?: PlannedRows | undefined;
  /** The part of the rows of all scans that has been read, from 0 to 1, if it is known. */
  readonly read?: number;
  /** Whether `fraction` is a rough guess, because most of the work is not counted. */
  readonly isGuess?: boolean;
}

/** The figures of a statement that was run to its end. */
export interface StatementProfile {
  /** The time that all threads spent in operators. */
  readonly cpuMs: number;
  /** The most memory that all queries of the process together used while it ran. */
  readonly peakMemoryBytes: number;
  /** The largest size of the spill files of the process while it ran. */
  readonly spilledBytes: number;
  readonly operators: OperatorProfile;
}

export interface OperatorProfile {
  /** The kernel's name, such as `HASH_GROUP_BY`. */
  readonly name: string;
  /** What the kernel says about it, such as `{Table=memory.main.t, __estimated_cardinality__=9}`. */
  readonly description: string;
  /** The rows that it returned. */
  readonly rows: number;
  /** The size of these rows. */
  readonly bytes: number;
  /** The time of all threads, without that of its inputs. */
  readonly timeMs: number;
  readonly inputs: readonly OperatorProfile[];
}

export interface MemoryLimits {
  /** The memory ceiling of the whole process in bytes. Beyond it, allocations of its queries fail. */
  readonly ceilingBytes: number;
  /** The limit in bytes of the memory that the kernel accounts for. Queries spill beyond it. */
  readonly memoryLimitBytes: number;
}

export interface MemoryUse {
  readonly usedBytes: number;
  readonly limitBytes: number;
  readonly spilledBytes: number;
}
