import type { Incarnation, QueryId } from '@tessera/common';
import type { KernelSession, StatementProfile } from '@tessera/kernel';

/** One attempt at one task of one run of a query; see `proto/tessera/v1/task.proto`. */
export interface TaskKey {
  readonly queryId: QueryId;
  readonly run: number;
  readonly stage: number;
  readonly task: number;
  readonly attempt: number;
}

/** A name that is unique among the outputs of a node. */
export const taskName = ({ queryId, run, stage, task, attempt }: TaskKey): string =>
  JSON.stringify([queryId, run, stage, task, attempt]);

export interface OutputColumn {
  readonly name: string;
  /** The type as SQL. */
  readonly type: string;
}

export interface OutputShape {
  readonly columns: readonly OutputColumn[];
  /** Positions in `columns`. If empty, the output has no buckets. */
  readonly hashKeys: readonly number[];
  /**
   * The position of a BLOB column without NULLs. The rows of each output are in the order of its bytes. Only
   * without hash keys.
   */
  readonly sortKey?: number | undefined;
}

/** All rows of a small output, which are sent with its description. */
export interface InlineRows {
  /** An encapsulated Arrow Schema message, followed by the dictionaries. */
  readonly schema: Uint8Array;
  /** An encapsulated Arrow RecordBatch message; with hash keys, sorted by bucket. */
  readonly batch: Uint8Array;
  /** The CRC-32C of `schema` followed by `batch`. */
  readonly crc32c: number;
}

export interface StoredOutput {
  readonly rows: number;
  /** The size of the stored rows in bytes. */
  readonly bytes: number;
  /** The bytes that are in a spill file. */
  readonly spilledBytes: number;
  /** The number of rows in each of `HASH_BUCKETS` buckets; empty without hash keys. */
  readonly bucketRows: readonly number[];
  /** Undefined if the output is not small or has no rows. */
  readonly inline?: InlineRows | undefined;
  /** What the SQL took, with `StoreOptions.profiled`. */
  readonly profile?: StatementProfile | undefined;
}

/** A part of the rows of an output. */
export interface BlockRange {
  /** From (inclusive) and to (exclusive); undefined means all rows. */
  readonly buckets?: readonly [from: number, to: number] | undefined;
  /** Reads part `slice` of `slices` parts of about the same size of the rows in these buckets. */
  readonly slice?: readonly [slice: number, slices: number] | undefined;
  /** Reads all rows, also while the task still adds some, after the first `firstBatch` batches. */
  readonly follow?: { readonly firstBatch: number } | undefined;
}

/** A part of one output for one consumer, with its location. */
export interface ShuffleBlock extends BlockRange {
  readonly producer: TaskKey;
  /** The `host:port` of the shuffle service of the node that has it. */
  readonly address: string;
  readonly incarnation: Incarnation;
  /** The number of rows that must arrive; undefined if it is unknown. */
  readonly rows?: number | undefined;
  /** The rows of the whole output, if they need not be fetched. */
  readonly inline?: InlineRows | undefined;
}

/** Blocks that are readable in a session. */
export interface FetchedBlocks {
  /** A relation for FROM with the columns of the shape; valid in the session that it was fetched for. */
  readonly sql: string;
  readonly rows: number;
  /** The bytes that came from other nodes. */
  readonly bytes: number;
  /** The bytes that are in a spill file because memory had no room for them. */
  readonly spilledBytes: number;
}

/** The output of one task of a result, whichever of its attempts counts. */
export interface ResultOutput {
  /**
   * Waits until an attempt has rows that can be read, or has succeeded. An attempt that was reported to `failed` does not
   * come again.
   */
  attempt(): Promise<ShuffleBlock>;
  /**
   * Called before the first rows of the attempt are handed over. Returns false if the attempt does not count any more;
   * otherwise no other attempt counts from now on.
   */
  begin(block: ShuffleBlock): boolean;
  /** Called when all rows were handed over; resolves if these are the rows of the task. */
  end(block: ShuffleBlock, rows: number): Promise<void>;
  /** Called if an attempt could not be read that has not begun. */
  failed(block: ShuffleBlock, error: unknown): void;
}

/** Blocks of a result that are readable until they are released. */
export interface ResultPart extends FetchedBlocks {
  release(): Promise<void>;
}

export interface StoreOptions {
  /** Called once if the output is large, as soon as some of its rows can be read. */
  readonly onLarge?: (() => void) | undefined;
  /** These are as in `KernelSession.query`. */
  readonly fewRows?: boolean | undefined;
  readonly keep?: boolean | undefined;
  readonly profiled?: boolean | undefined;
}

export interface FetchOptions {
  /** Whether the rows must be readable as an exchange, as the profile of a statement shows it, however few they are. */
  readonly asExchange?: boolean | undefined;
}

/** The outputs of tasks: this node keeps those of its own tasks and fetches those of other nodes. */
export interface Shuffle {
  /** Identifies this process; outputs are named by it. */
  readonly incarnation: Incarnation;
  /**
   * Runs a query in the session and keeps its rows until they are released: in memory and, beyond a budget,
   * on disk. The columns of the SQL must be those of the shape, in order.
   * @throws TesseraError the error of the SQL, SHUFFLE_SPACE_EXHAUSTED, QUERY_CANCELLED
   */
  store(
    key: TaskKey,
    session: KernelSession,
    sql: string,
    shape: OutputShape,
    options?: StoreOptions,
  ): Promise<StoredOutput>;
  /**
   * Makes blocks of outputs of one shape readable.
   * @throws TesseraError FETCH_FAILED that names the lost output, PARTITION_MISMATCH,
   * SHUFFLE_SPACE_EXHAUSTED, QUERY_CANCELLED
   */
  fetch(
    session: KernelSession,
    blocks: readonly ShuffleBlock[],
    shape: OutputShape,
    signal: AbortSignal,
    options?: FetchOptions,
  ): Promise<FetchedBlocks>;
  /**
   * Makes the rows of outputs readable part by part, while the tasks that produce them run. The next part is requested
   * when the last one was released. Rows that nobody requests wait on the nodes that produced them. With a sort key, no row
   * of a part has a smaller key than a row of an earlier part.
   * @throws TesseraError as `fetch`
   */
  results(
    session: KernelSession,
    outputs: readonly ResultOutput[],
    shape: OutputShape,
    signal: AbortSignal,
  ): AsyncGenerator<ResultPart, void>;
  /**
   * Releases outputs; running fetches of them fail. `run` undefined means all runs; `stages` undefined means
   * all stages.
   */
  release(
    queryId: QueryId,
    which?: { readonly run?: number | undefined; readonly stages?: readonly number[] | undefined },
  ): Promise<void>;
  /** The size in bytes of all kept outputs, in memory and on disk. */
  readonly bytes: number;
  /** The size in bytes of outputs on disk. */
  readonly diskBytes: number;
  close(): Promise<void>;
}
