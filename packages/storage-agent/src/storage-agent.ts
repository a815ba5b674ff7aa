import type { DeletionVector, ObjectId, TableObject, Tablet } from '@tessera/catalog';
import type { KernelSession } from '@tessera/kernel';
import type { HybridHeader, RowRange, TabletKeys } from '@tessera/tablet';

export interface ScanTablet {
  readonly tablet: Tablet;
  readonly vector?: DeletionVector | undefined;
  /** Numbers of the granules that are needed, ascending; absent: all. Rows of others may come along. */
  readonly granules?: readonly number[] | undefined;
  /** Positions of rows in the body, in ascending ranges: no others come; absent: all. */
  readonly rows?: readonly RowRange[] | undefined;
  /** Only rows with these keys are read; absent: all. */
  readonly keys?: TabletKeys | undefined;
}

export interface ScanRequest {
  /** The session that will read; the relation is good for its kernel process only. */
  readonly session: KernelSession;
  readonly table: TableObject;
  readonly tablets: readonly ScanTablet[];
  /** `contentsVersion` of the table when `tablets` are all of its tablets (or of `share`), else undefined. */
  readonly wholeTableAt?: number | undefined;
  /**
   * The part of the table that this node is to keep, when it keeps a part: `wholeTableAt` and `contents` are of it. The same
   * name stands for the same part at each version of the table's contents. Absent: the whole table.
   */
  readonly share?: string | undefined;
  /**
   * What the table holds at the statement's snapshot, when `tablets` may be fewer: lets a table that is in memory be read
   * as it is, and kept up to date. Negative versions, of open transactions, are ignored. A scan that tells neither this
   * nor `wholeTableAt` loads nothing into memory. `tablets` undefined: not known.
   */
  readonly contents?:
    | { readonly version: number; readonly tablets: (() => readonly ScanTablet[]) | undefined }
    | undefined;
  /** Ids of the columns that the statement reads. */
  readonly columns: readonly number[];
  /** Ids of the columns that `use` counts, where `columns` are more than the statement needs; absent: `columns`. */
  readonly counted?: readonly number[] | undefined;
  /** Ids of columns that no expression of the statement names: NULL may stand for them. */
  readonly unnamed?: readonly number[] | undefined;
  /**
   * Adds the columns `"$tablet"` (INTEGER, position in `tablets`) and `"$row"` (BIGINT, position in the body):
   * for DELETE, UPDATE, MERGE and late materialisation.
   */
  readonly rowPositions: boolean;
  /** Reads it once, as rewriting does: nothing goes to memory because of it. */
  readonly once?: boolean | undefined;
  readonly signal: AbortSignal;
}

/** Tablets made readable. */
export interface Scan {
  /**
   * A relation of the kernel to stand in FROM, a table's name or a query in parentheses: all columns of the table by their
   * names, in order, deleted rows left out. Reading a column that was not asked for is an error.
   */
  readonly sql: string;
  readonly use: ScanUse;
  /** The files and tables behind `sql` may go away after this. */
  release(): void;
}

export interface ScanUse {
  readonly tablets: number;
  /** Fetched from the object store for this scan, with headers and whatever lay between what was needed. */
  readonly bytesFetched: number;
  /** Stored bytes of the columns and granules that are read, without those fetched. */
  readonly bytesCached: number;
  readonly tabletsHot: number;
  readonly read: ReadCounts;
}

/** What a scan reads, wherever it lies. */
export interface ReadCounts {
  /** Rows of the tablets and granules that are read, without deleted ones; conditions on rows come later. */
  readonly rows: number;
  /** Stored (compressed) bytes of the columns in these tablets and granules. */
  readonly bytes: number;
  /** Of `bytes`: what had to be fetched from the object store. */
  readonly bytesFromStorage: number;
}

/** One column in one granule of a tablet. */
export interface ChunkName {
  readonly column: number;
  readonly granule: number;
}

export interface LocalChunk extends ChunkName {
  /** In the tablet's object. */
  readonly offset: number;
  readonly bytes: Uint8Array;
}

export interface AgentMetrics {
  readonly tabletsHot: number;
  readonly tabletsOnDisk: number;
  readonly bytesHot: number;
  readonly bytesOnDisk: number;
  readonly bytesFetched: number;
  readonly hits: number;
  readonly misses: number;
  readonly corruptRefetches: number;
  /** Tables that are being loaded into memory or wait for it; 0 once `settled`. */
  readonly promotionsPending: number;
}

/** The tablets of this node, in three states: hot, on disk, remote. */
export interface StorageAgent {
  /**
   * Fetches what is missing and gives a relation over it.
   * @throws TesseraError CORRUPT_TABLET, STORAGE_UNAVAILABLE, QUERY_CANCELLED
   */
  prepareScan(request: ScanRequest): Promise<Scan>;
  /** Whether a scan of the columns at this `contentsVersion` would be served from memory, whichever tablets it needs. */
  isHot(
    session: KernelSession,
    tableId: ObjectId,
    contentsVersion: number,
    columns: readonly number[],
  ): boolean;
  /**
   * The Hybrid Header of a tablet, to choose granules by; its tail is fetched unless it is here.
   * @throws TesseraError as `prepareScan`
   */
  header(table: TableObject, tablet: Tablet, signal: AbortSignal): Promise<HybridHeader>;
  /** A tablet just written here: its file (moved, not copied) serves the first reads. */
  adopt(tablet: Tablet, path: string): Promise<void>;
  /** Tablets that no snapshot names any more go from disk and memory. */
  forget(tablets: readonly Tablet[]): Promise<void>;
  /**
   * Fetches columns of tablets to disk; how many bytes came from the object store.
   * @throws TesseraError as `prepareScan`
   */
  warm(
    table: TableObject,
    tablets: readonly Tablet[],
    columns: readonly number[],
    signal: AbortSignal,
  ): Promise<number>;
  /** Column chunks that are on local disk, of those asked for. */
  localChunks(tablet: Tablet, chunks: Iterable<ChunkName>): AsyncIterable<LocalChunk>;
  /** Applies `engine.eviction` now; the agent does it every few seconds. */
  evict(): Promise<void>;
  /** Resolves when no promotion to memory is under way or waiting. */
  settled(): Promise<void>;
  metrics(): AgentMetrics;
  close(): Promise<void>;
}
