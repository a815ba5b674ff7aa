import type { KernelSession } from '@tessera/kernel';

/** One attempt at one task of one run of a query; see `proto/tessera/v1/task.proto`. */
export interface TaskKey {
  readonly queryId: string;
  readonly run: number;
  readonly stage: number;
  readonly task: number;
  readonly attempt: number;
}

/** A name that no two outputs of a node share. */
export const taskName = ({ queryId, run, stage, task, attempt }: TaskKey): string =>
  JSON.stringify([queryId, run, stage, task, attempt]);

export interface OutputColumn {
  readonly name: string;
  /** SQL of the type. */
  readonly type: string;
}

export interface OutputShape {
  readonly columns: readonly OutputColumn[];
  /** Positions in `columns`; empty: the output has no buckets. */
  readonly hashKeys: readonly number[];
}

/** All rows of a small output, which travel with its description. */
export interface InlineRows {
  /** Encapsulated Arrow Schema message, with the dictionaries behind it. */
  readonly schema: Uint8Array;
  /** Encapsulated Arrow RecordBatch message; with hash keys, sorted by bucket. */
  readonly batch: Uint8Array;
  /** CRC-32C of `schema` followed by `batch`. */
  readonly crc32c: number;
}

export interface StoredOutput {
  readonly rows: number;
  /** Bytes of the rows as they are kept. */
  readonly bytes: number;
  /** Rows of each of `HASH_BUCKETS` buckets; empty without hash keys. */
  readonly bucketRows: readonly number[];
  /** Undefined: the output is not small, or has no rows. */
  readonly inline?: InlineRows | undefined;
}

/** Some of the rows of an output. */
export interface BlockRange {
  /** From (inclusive) and to (exclusive); undefined: all rows. */
  readonly buckets?: readonly [from: number, to: number] | undefined;
  /** Reads part `slice` of `slices` parts of about the same size of the rows in these buckets. */
  readonly slice?: readonly [slice: number, slices: number] | undefined;
}

/** A part of one output for one consumer, and where it is. */
export interface ShuffleBlock extends BlockRange {
  readonly producer: TaskKey;
  /** `host:port` of the shuffle service of the node that has it. */
  readonly address: string;
  readonly incarnation: string;
  /** The number of rows that must arrive; undefined: not known. */
  readonly rows?: number | undefined;
  /** The rows of the whole output, which then need not be fetched. */
  readonly inline?: InlineRows | undefined;
}

/** Blocks made readable in a session. */
export interface FetchedBlocks {
  /** A relation to stand in FROM with the columns of the shape; valid in the session that it was fetched for. */
  readonly sql: string;
  readonly rows: number;
  /** Bytes that came from other nodes. */
  readonly bytes: number;
}

/** The outputs of tasks: this node keeps those of its own tasks, and fetches those of other nodes. */
export interface Shuffle {
  /** Identifies this process; outputs are named by it. */
  readonly incarnation: string;
  /**
   * Runs a query in the session and keeps its rows until they are released: in memory and, beyond a budget, on disk. The columns
   * of the SQL are those of the shape, in order.
   * @throws TesseraError what the SQL did wrong, SHUFFLE_SPACE_EXHAUSTED, QUERY_CANCELLED
   */
  store(key: TaskKey, session: KernelSession, sql: string, shape: OutputShape): Promise<StoredOutput>;
  /**
   * Makes blocks of outputs of one shape readable.
   * @throws TesseraError FETCH_FAILED naming what is lost, PARTITION_MISMATCH, SHUFFLE_SPACE_EXHAUSTED, QUERY_CANCELLED
   */
  fetch(
    session: KernelSession,
    blocks: readonly ShuffleBlock[],
    shape: OutputShape,
    signal: AbortSignal,
  ): Promise<FetchedBlocks>;
  /** Frees outputs; fetches of them that are under way fail. `run` undefined: of all runs; `stages` undefined: of all. */
  release(
    queryId: string,
    which?: { readonly run?: number | undefined; readonly stages?: readonly number[] | undefined },
  ): Promise<void>;
  /** Bytes of all outputs kept, in memory and on disk. */
  readonly bytes: number;
  /** Bytes of outputs that are on disk. */
  readonly diskBytes: number;
  close(): Promise<void>;
}
