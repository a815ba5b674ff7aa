import type { KernelColumn, KernelType } from '../types/kernel-type.ts';

/** `number` is bound as BIGINT when it is a safe integer, else as DOUBLE; `bigint` as BIGINT or HUGEINT. */
export type KernelValue = null | boolean | number | bigint | string | Uint8Array;
export type KernelParams = readonly KernelValue[] | Readonly<Record<string, KernelValue>>;

/**
 * How the rows of a result are cut into batches. `prompt`: rows that are ready do not wait long for more. `full`: every batch but
 * the last one is as large as it may be. `sorted`: the same, and the rows of each batch are sorted by the last column, a
 * USMALLINT without NULLs.
 */
export type BatchMode = 'prompt' | 'full' | 'sorted';

interface Call {
  /** The session's time zone; null = the instance's default. Set before the call when it differs. */
  readonly timeZone: string | null;
}

export type Request =
  | (Call & { readonly op: 'scalar'; readonly sql: string; readonly params: KernelParams })
  | (Call & { readonly op: 'describe'; readonly sql: string })
  | (Call & { readonly op: 'execute'; readonly sql: string; readonly params: KernelParams })
  | (Call & {
      readonly op: 'query';
      readonly sql: string;
      readonly params: KernelParams;
      readonly maxBatchBytes: number;
      readonly batches: BatchMode;
      readonly keep: boolean;
    })
  | (Call & { readonly op: 'append'; readonly table: string; readonly schemaIpc: Uint8Array })
  | (Call & { readonly op: 'receive'; readonly name: string; readonly schemaIpc: Uint8Array })
  | (Call & {
      readonly op: 'defineRelation';
      readonly name: string;
      readonly columns: readonly { readonly name: string; readonly type: string }[];
      readonly rows: number;
    })
  | (Call & { readonly op: 'dropRelation'; readonly name: string })
  | (Call & { readonly op: 'change'; readonly sql: string })
  | { readonly op: 'dropAppended' }
  | { readonly op: 'attach'; readonly session: number };

/** On the channel between the two processes, beside the sessions' sockets. */
export type ControlRequest =
  | { readonly op: 'progress'; readonly id: number; readonly session: number }
  | { readonly op: 'memory'; readonly id: number }
  | { readonly op: 'limits'; readonly id: number; readonly limits: MemoryLimits; readonly ifItFits: boolean };
/** For `limits`, whether they hold. */
export type ControlAnswer = QueryProgress | Omit<MemoryUse, 'limitBytes'> | boolean;
export type ControlMessage =
  | { readonly kind: 'ready' }
  | { readonly kind: 'answer'; readonly id: number; readonly value?: ControlAnswer; readonly error?: string };

/**
 * What ends a call; `dirty` = the connection now holds something that another session must not see, `appended` = it would,
 * if it were not for tables made by appends and received rows.
 */
export interface Reply {
  readonly value?: unknown;
  readonly dirty?: boolean;
  readonly appended?: boolean;
}

/** Rows that a session can read. */
export interface ReceivedRelation {
  readonly rows: number;
  /** The relation, to stand in FROM. */
  readonly sql: string;
  /** The rows are in a temp table; otherwise they stay in the memory that they came in. */
  readonly isTable: boolean;
}

export interface WireError {
  /** The kernel's own text, possibly its JSON form. */
  readonly message: string;
  /** The SQL that ran, so that a byte position can become a character offset. */
  readonly sql?: string | undefined;
  /** Whether the process had nearly all the memory that it may have. */
  readonly memoryIsShort?: boolean;
  readonly dirty?: boolean;
  readonly appended?: boolean;
}

export interface ResultHeader {
  readonly columns: readonly KernelColumn[];
  readonly schemaIpc: Uint8Array;
}

export interface StatementDescription {
  readonly columns: readonly KernelColumn[];
  /** A parameter's type is null where the kernel cannot tell it before it has a value. */
  readonly parameters: readonly { readonly name: string; readonly type: KernelType | null }[];
}

export interface QueryProgress {
  /** 0 to 1; -1 while the kernel cannot say. */
  readonly fraction: number;
  readonly rowsProcessed: number;
  readonly rowsTotal: number;
}

export interface MemoryLimits {
  /** Memory ceiling of the whole process in bytes. Beyond it, allocations of its queries fail. */
  readonly ceilingBytes: number;
  /** Limit in bytes of the memory that the kernel counts. Queries spill beyond it. */
  readonly memoryLimitBytes: number;
}

export interface MemoryUse {
  readonly usedBytes: number;
  readonly limitBytes: number;
  readonly spilledBytes: number;
}
