import type { ObjectId } from '@tessera/catalog';
import type { Kernel, KernelSession } from '@tessera/kernel';
import type { RelationShape } from '../scan/relation-sql.ts';
import { type RowRange, rowsIn } from '../scan/row-ranges.ts';
import type { ReadCounts, ScanTablet } from '../storage-agent.ts';
import { type Cover, partialCover, wholeCover } from './cover.ts';
import {
  bytesRead,
  liveRows,
  type ResidentTable,
  type ResidentTableUse,
  residentTableKey,
} from './resident-table.ts';
import type { ResidentTableUpdates } from './resident-table-updates.ts';
import type { ResidentTables } from './resident-tables.ts';
import type { TableContents } from './table-demand.ts';

export interface HotTierOptions {
  readonly kernel: Kernel;
  readonly resident: ResidentTables;
  readonly updates: ResidentTableUpdates;
  now(): number;
}

/** A scan as the hot tier sees it. */
export interface HotRequest {
  readonly session: KernelSession;
  readonly shape: RelationShape;
  readonly tablets: readonly ScanTablet[];
  /** The ids of the columns that count as read. */
  readonly counted: readonly number[];
  /** The `contentsVersion` of the table at the scan's snapshot; undefined if the scan does not know it. */
  readonly contentsVersion: number | undefined;
  /** The share of the table that the scan is about; undefined means the whole table. */
  readonly share: string | undefined;
}

export interface HotScan extends Cover {
  readonly read: Omit<ReadCounts, 'bytesFromStorage'>;
  release(): void;
}

/** A scan of a resident table that holds exactly what is read. */
export interface WholeScan {
  /** For FROM. */
  readonly sql: string;
  readonly read: Omit<ReadCounts, 'bytesFromStorage'>;
  release(): void;
  /** See `Scan`. */
  again(session: KernelSession): WholeScan | undefined;
}

/** A scan of a whole resident table that holds exactly the contents of this version of the table. */
interface ExactScan extends Pick<WholeScan, 'sql' | 'read'>, Pick<ResidentTableUse, 'version' | 'share'> {}

/**
 * A statement that changes rows may read up to this many tablets, with up to this many rows, in addition to the resident table. With more,
 * the resident table is updated first.
 */
const FEW_TABLETS = 8;
const FEW_ROWS = 65_536;

/** Serves scans from resident tables: native tables of the kernel that hold frequently read data. */
export class HotTier {
  readonly #o: HotTierOptions;

  constructor(options: HotTierOptions) {
    this.#o = options;
  }

  /** Whether a scan of the columns would be served from memory, whichever tablets it needs. */
  holds(
    session: KernelSession,
    tableId: ObjectId,
    contentsVersion: number,
    columns: readonly number[],
  ): boolean {
    const resident = this.#o.resident.readableIn(session, residentTableKey(tableId, undefined));
    return resident?.exactAt === contentsVersion && columns.every((id) => resident.columns.has(id));
  }

  /** The whole resident table, if it holds exactly the contents that the scan reads. */
  whole(request: HotRequest): WholeScan | undefined {
    const resident = this.#usable(request);
    if (resident?.exactAt === undefined || resident.exactAt !== request.contentsVersion) return undefined;
    if (resident.share !== request.share) return undefined;
    // The scan may have been planned for another node's share.
    if (request.share !== undefined && !resident.hasAll(request.tablets)) return undefined;
    const sql = wholeCover(resident, request.shape, request.tablets);
    const read = resident.readBy(request.tablets, request.counted);
    return this.#used(resident, { ...versionOf(request), sql, read });
  }

  #used(resident: ResidentTable, scan: ExactScan): WholeScan {
    const { sql, read, version, share } = scan;
    resident.lastUsedMs = this.#o.now();
    const { release } = resident.use({ exact: true, version, share });
    const { key, name } = resident;
    const again = (session: KernelSession) => {
      const found = this.#o.resident.readableIn(session, key);
      // Each resident table has a name of its own.
      const isSame = found?.name === name && found.exactAt === version && found.share === share;
      return isSame ? this.#used(found, scan) : undefined;
    };
    return { sql, read, release, again };
  }

  /** The part of the tablets that a resident table with other contents can serve; for the parameters see `partialCover`. */
  partial(
    request: HotRequest,
    absent: ReadonlyMap<number, readonly RowRange[]>,
    windows: ReadonlyMap<number, RowRange>,
  ): HotScan | undefined {
    const resident = this.#usable(request);
    const cover = resident && partialCover(resident, request.shape, request.tablets, absent, windows);
    if (resident === undefined || cover === undefined) return undefined;
    const nowMs = this.#o.now();
    const read = { rows: 0, bytes: 0 };
    for (const position of cover.tablets) {
      const { tablet, keys } = request.tablets[position]!;
      const part = resident.parts.get(tablet.id)!;
      part.lastUsedMs = nowMs;
      const gone = absent.get(position) ?? [];
      const window = windows.get(position);
      const bytes = bytesRead(part, request.tablets[position]!, request.counted);
      if (window === undefined) {
        read.rows += liveRows({ tablet, keys, absent: gone });
        read.bytes += bytes;
      } else {
        const rows = rowsIn([window]);
        read.rows += rows - rowsIn(gone);
        read.bytes += Math.round((bytes * rows) / tablet.rows);
      }
    }
    const { release } = resident.use({ exact: false, ...versionOf(request) });
    return { ...cover, read, release };
  }

  /** Records what a scan read, so that the next scan finds it in memory. */
  want(request: HotRequest, contents: TableContents, isWhole: boolean): void {
    const { kernel, updates, now } = this.#o;
    if (request.session.processId !== kernel.processId) return;
    const { table, read: columns } = request.shape;
    const { tablets } = request;
    const scan = { table, columns, tablets, contents, isWhole, nowMs: now() };
    updates.want(residentTableKey(table.id, request.share), scan, this.#isPressing(request));
  }

  /**
   * Whether scans like this one become faster when the resident table follows the table. A statement that changes single rows
   * excludes the rows that were deleted near its own, and each such statement makes a change to follow: following at once would
   * cost more than the statement.
   */
  #isPressing({ session, shape, tablets, share }: HotRequest): boolean {
    if (!shape.rowPositions) return true;
    const resident = this.#o.resident.readableIn(session, residentTableKey(shape.table.id, share));
    const missing = tablets.filter(({ tablet }) => resident?.parts.has(tablet.id) !== true);
    const rows = missing.reduce((sum, { tablet }) => sum + tablet.rows, 0);
    return missing.length > FEW_TABLETS || rows > FEW_ROWS;
  }

  #usable({ session, shape, share }: HotRequest): ResidentTable | undefined {
    const resident = this.#o.resident.readableIn(session, residentTableKey(shape.table.id, share));
    const columns = shape.table.columns.filter((c) => shape.read.has(c.id));
    return resident?.holds(columns) ? resident : undefined;
  }
}

const versionOf = ({ contentsVersion: version, share }: HotRequest) => ({ version, share });
