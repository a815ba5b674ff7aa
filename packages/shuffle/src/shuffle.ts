import type { KernelSession } from '@tessera/kernel';

/** One attempt at one task of one run of a query; see `proto/tessera/v1/task.proto`. */
export interface TaskKey {
  readonly queryId: string;
  readonly run: number;
  readonly stage: number;
  readonly task: number;
  readonly attempt: number;
}

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

export interface StoredOutput {
  readonly rows: number;
  /** In memory, about. */
  readonly bytes: number;
  /** Rows of each of `HASH_BUCKETS` buckets; empty without hash keys. */
  readonly bucketRows: readonly number[];
}

/** A part of one output, and where it is. */
export interface Piece {
  readonly producer: TaskKey;
  /** `host:port` of the shuffle service of the node that has it. */
  readonly address: string;
  readonly incarnation: string;
  /** From, and to exclusive; undefined: all rows. */
  readonly buckets?: readonly [from: number, to: number] | undefined;
  /** Of the rows so chosen, this one of so many parts of about the same size. */
  readonly slice?: readonly [slice: number, slices: number] | undefined;
  /** That must come; undefined: not known. */
  readonly rows?: number | undefined;
}

/** Pieces made readable in a session. */
export interface FetchedPieces {
  /** A relation to stand in FROM with the columns of the shape; good in the session that it was fetched for. */
  readonly sql: string;
  readonly rows: number;
  /** Over the network. */
  readonly bytes: number;
}

/** What tasks of this node left for others, and what it fetches from them. */
export interface Shuffle {
  /** Of this process; outputs are named by it. */
  readonly incarnation: string;
  /**
   * Runs a query in the session and keeps its rows until they are released, in the kernel's memory and, beyond its limit, on
   * disk. The columns of the SQL are those of the shape, in order.
   * @throws TesseraError what the SQL did wrong, SHUFFLE_SPACE_EXHAUSTED, QUERY_CANCELLED
   */
  store(key: TaskKey, session: KernelSession, sql: string, shape: OutputShape): Promise<StoredOutput>;
  /**
   * Fetches pieces of outputs of one shape. Those of this node are not copied.
   * @throws TesseraError FETCH_FAILED naming what is lost, PARTITION_MISMATCH, SHUFFLE_SPACE_EXHAUSTED, QUERY_CANCELLED
   */
  fetch(
    session: KernelSession,
    pieces: readonly Piece[],
    shape: OutputShape,
    signal: AbortSignal,
  ): Promise<FetchedPieces>;
  /** Frees outputs; fetches of them that are under way fail. `run` undefined: of all runs; `stages` undefined: of all. */
  release(
    queryId: string,
    which?: { readonly run?: number | undefined; readonly stages?: readonly number[] | undefined },
  ): Promise<void>;
  /** Of all outputs kept, about. */
  readonly bytes: number;
  close(): Promise<void>;
}
