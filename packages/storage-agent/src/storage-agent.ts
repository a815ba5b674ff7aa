import type { DeletionVector, ObjectId, TableObject, Tablet, TabletId } from '@tessera/catalog';
import type { KernelSession } from '@tessera/kernel';
import type { GranuleFilter, HybridHeader, RowRange, TabletKeys } from '@tessera/tablet';

export interface ScanTablet {
  readonly tablet: Tablet;
  readonly vector?: DeletionVector | undefined;
  /**
   * The numbers of the needed granules, ascending; absent means all. Rows of other granules may be returned
   * too.
   */
  readonly granules?: readonly number[] | undefined;
  /** Row positions in the body, as ascending ranges. No other rows are returned. Absent means all. */
  readonly rows?: readonly RowRange[] | undefined;
  /** Only rows with these keys are read; absent means all. */
  readonly keys?: TabletKeys | undefined;
}

export interface ScanRequest {
  /** The session that will read. The relation is only valid for its kernel process. */
  readonly session: KernelSession;
  readonly table: TableObject;
  readonly tablets: readonly ScanTablet[];
  /**
   * The `contentsVersion` of the table if `tablets` are all of its tablets (or all of `share`), else
   * undefined.
   */
  readonly wholeTableAt?: number | undefined;
  /**
   * The share of the table that this node is responsible for, if it is not the whole table; `wholeTableAt`
   * and `contents` then refer to the share. The same name denotes the same share at each version of the
   * table's contents. Absent means the whole table.
   */
  readonly share?: string | undefined;
  /**
   * The contents of the table at the statement's snapshot, if `tablets` may be fewer. They allow a resident
   * table to be read as a whole and to be kept up to date. Negative versions, which open transactions have,
   * are ignored. A scan with neither this nor `wholeTableAt` loads nothing into memory. `tablets` is
   * undefined if they are not known.
   */
  readonly contents?:
    | { readonly version: number; readonly tablets: (() => readonly ScanTablet[]) | undefined }
    | undefined;
  /** The ids of the columns that the statement reads. */
  readonly columns: readonly number[];
  /**
   * The ids of the columns that `use` counts, if `columns` contains more than the statement needs; absent
   * means `columns`.
   */
  readonly counted?: readonly number[] | undefined;
  /** The ids of columns that no expression of the statement names; NULL may replace them. */
  readonly unnamed?: readonly number[] | undefined;
  /**
   * The ids of columns that the relation need not have, because nothing depends on their existence or on the place of the
   * others. Without them, the statement takes less time to plan. If this is present, also without an id, the relation may have other columns too,
   * with names that begin with `$`.
   */
  readonly omitted?: readonly number[] | undefined;
  /**
   * Whether the relation has only the columns that the statement reads, so that it takes less time to plan. If the statement
   * reads none, the relation has all columns of the table, with NULL in each.
   */
  readonly isNarrow?: boolean | undefined;
  /**
   * Adds the columns `"$tablet"` (INTEGER, position in `tablets`) and `"$row"` (BIGINT, position in the
   * body), for DELETE, UPDATE, MERGE and late materialisation.
   */
  readonly rowPositions: boolean;
  /** Set for a single read, such as a rewrite, which must not load anything into memory. */
  readonly once?: boolean | undefined;
  readonly signal: AbortSignal;
}

/** Tablets in readable form. */
export interface Scan {
  /**
   * A relation of the kernel for FROM, either a table's name or a query in parentheses. It has all columns of
   * the table by name (unless the request `isNarrow` or has some `omitted`), in order, without deleted rows. Reading a column that was not
   * requested is an error.
   */
  readonly sql: string;
  /** Whether all scans with the same `sql` read the same rows. Otherwise its meaning ends with this scan. */
  readonly isFixed: boolean;
  readonly use: ScanUse;
  /** Allows the files and tables behind `sql` to be removed. */
  release(): void;
  /**
   * Present if a resident table holds exactly the contents of the table that the scan reads: begins another scan with the same
   * request, for another session. Undefined if the resident table has changed or gone.
   */
  readonly again?: ((session: KernelSession) => Scan | undefined) | undefined;
}

export interface ScanUse {
  readonly tablets: number;
  /**
   * The bytes fetched from the object store for this scan, including headers and the gaps between needed
   * ranges.
   */
  readonly bytesFetched: number;
  /** The stored bytes of the columns and granules that are read, without the fetched ones. */
  readonly bytesCached: number;
  readonly tabletsHot: number;
  readonly read: ReadCounts;
}

/** What a scan reads, wherever it is stored. */
export interface ReadCounts {
  /**
   * The rows of the tablets and granules that are read, without deleted ones; conditions on rows are applied
   * later.
   */
  readonly rows: number;
  /** The stored (compressed) bytes of the columns in these tablets and granules. */
  readonly bytes: number;
  /** The part of `bytes` that had to be fetched from the object store. */
  readonly bytesFromStorage: number;
}

/** A request for filters of a skip index. */
export interface FilterRequest {
  /** The stored part of the index as a table. */
  readonly table: TableObject;
  /** Tablets of `table`. */
  readonly tablets: readonly Tablet[];
  readonly columns: readonly StoredFilter[];
  readonly signal: AbortSignal;
}

/** The filters of one column of a table. */
export interface StoredFilter {
  /** The column that they are about, and its type as SQL. */
  readonly column: string;
  readonly type: string;
  readonly kind: GranuleFilter['kind'];
  /** The name of the column that has the filters, in the stored part of the index. */
  readonly name: string;
}

/** The filters of the granules that one tablet of an index is about. */
export interface TabletFilters {
  /** The tablet of the index. */
  readonly tablet: Tablet;
  /** The filters of a granule by the names of the columns that they are about; without columns that have none. */
  readonly of: (granule: number) => ReadonlyMap<string, GranuleFilter>;
}

/** The contents of a table in the newest snapshot. The tablets stay readable until `release` is called. */
export interface CurrentContents {
  readonly table: TableObject;
  /** Its `contentsVersion`. */
  readonly version: number;
  readonly tablets: readonly ScanTablet[];
  release(): void;
}

/** Undefined if there is no such table any more. */
export type ContentsOf = (tableId: ObjectId) => Promise<CurrentContents | undefined>;

/** One column in one granule of a tablet. */
export interface ChunkName {
  readonly column: number;
  readonly granule: number;
}

/** A part of a tablet's object. */
export interface ObjectRange {
  readonly offset: number;
  readonly bytes: number;
  /**
   * The chunks that are wanted; what lies between them does not matter. Without chunks, the range is the whole object or its
   * end, the Hybrid Header with the footer.
   */
  readonly chunks: readonly ChunkName[];
}

/** Reads parts of tablets from the disks of other nodes. */
export interface PeerTablets {
  /**
   * The bytes of a range, if another node has them and answers soon; otherwise undefined. Nobody has verified them.
   * @throws TesseraError QUERY_CANCELLED
   */
  read(tablet: TabletId, range: ObjectRange, signal: AbortSignal): Promise<Uint8Array | undefined>;
}

export interface AgentMetrics {
  readonly tabletsHot: number;
  readonly tabletsOnDisk: number;
  readonly bytesHot: number;
  readonly bytesOnDisk: number;
  /** From the object store. */
  readonly bytesFetched: number;
  readonly bytesFromPeers: number;
  readonly hits: number;
  readonly misses: number;
  readonly corruptRefetches: number;
  /** The number of tables that are being loaded into memory or are waiting for it; 0 once `settled`. */
  readonly promotionsPending: number;
}

/** The tablets of this node in their three states: hot, on disk, remote. */
export interface StorageAgent {
  /**
   * Fetches missing data and returns a relation over it.
   * @throws TesseraError CORRUPT_TABLET, STORAGE_UNAVAILABLE, QUERY_CANCELLED
   */
  prepareScan(request: ScanRequest): Promise<Scan>;
  /**
   * Whether a scan of the columns at this `contentsVersion` would be served from memory, whichever tablets it
   * needs.
   */
  isHot(
    session: KernelSession,
    tableId: ObjectId,
    contentsVersion: number,
    columns: readonly number[],
  ): boolean;
  /**
   * The Hybrid Header of a tablet, used to prune granules. Its tail is fetched if it is not present.
   * @throws TesseraError as `prepareScan`
   */
  header(table: TableObject, tablet: Tablet, signal: AbortSignal): Promise<HybridHeader>;
  /**
   * The filters that a skip index has of tablets; each is valid until the next one is requested.
   * @throws TesseraError as `prepareScan`
   */
  filters(request: FilterRequest): AsyncIterable<TabletFilters>;
  /** The hashes that Bloom filters are built of, for constants of a type given as text, by constant. */
  hashes(type: string, constants: readonly string[]): Promise<ReadonlyMap<string, bigint>>;
  /**
   * Adopts the file of a tablet that was just written here. It is moved, not copied, and serves the first
   * reads.
   */
  adopt(tablet: Tablet, path: string): Promise<void>;
  /** Removes tablets that no snapshot refers to any more from disk and memory. */
  forget(tablets: readonly Tablet[]): Promise<void>;
  /**
   * Fetches columns of tablets to disk and returns the number of bytes that came from the object store.
   * @throws TesseraError as `prepareScan`
   */
  warm(
    table: TableObject,
    tablets: readonly Tablet[],
    columns: readonly number[],
    signal: AbortSignal,
  ): Promise<number>;
  /**
   * Loads into memory, in the background, what was there when the node was stopped. Scans have precedence. Resolves when it is
   * done or the agent is closed.
   */
  warmUp(contentsOf: ContentsOf): Promise<void>;
  /** From now on, what is missing is read from other nodes if they have it, and only then from the object store. */
  readFrom(peers: PeerTablets): void;
  /** The bytes of the tablet that are on local disk. */
  bytesOnDisk(tablet: TabletId): number;
  /** The bytes of the range in pieces; none if they are not all on local disk. */
  localRange(tablet: TabletId, range: ObjectRange): AsyncIterable<Uint8Array>;
  /** Applies `engine.eviction` now; the agent also does it every few seconds. */
  evict(): Promise<void>;
  /** Resolves when no load into memory is running or waiting. */
  settled(): Promise<void>;
  metrics(): AgentMetrics;
  close(): Promise<void>;
}
