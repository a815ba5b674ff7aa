import type { Column, ObjectId, Tablet, TabletId } from '@tessera/catalog';
import type { TabletKeys } from '@tessera/tablet';
import { type RowRange, rowsIn } from '../scan/row-ranges.ts';
import { rowsIdentity, rowsOf } from '../scan/scan-rows.ts';
import { rowsWithKeys } from '../scan/tablet-keys.ts';
import type { ScanTablet } from '../storage-agent.ts';

/** The column with the ordinal of a row's part in its resident table. */
export const PART_COLUMN = '"$part"';
/**
 * The column with the position of a row in its resident table: the `start` of its part plus its position in
 * the body. The kernel's row ids cannot be used, because they change when a checkpoint drops deleted rows.
 */
export const POSITION_COLUMN = '"$position"';

/** A table has at most two resident tables: one of all its rows, and one of this node's share. */
export type ResidentTableKey = string & { readonly __brand: 'ResidentTableKey' };

export const residentTableKey = (tableId: ObjectId, share: string | undefined): ResidentTableKey =>
  (share === undefined ? tableId : `${tableId}/share`) as ResidentTableKey;

export const keysOf = (tableId: ObjectId): ResidentTableKey[] => [
  residentTableKey(tableId, undefined),
  residentTableKey(tableId, ''),
];

/** The rows of one tablet in a resident table. */
export interface ResidentPart {
  readonly tablet: Tablet;
  readonly ordinal: number;
  /** The position of the first row of the body. */
  readonly start: number;
  /** The stored bytes of the tablet's columns, by column id. */
  readonly columnBytes: ReadonlyMap<number, number>;
  /** The rows of the body that the resident table does not hold. */
  absent: readonly RowRange[];
  /**
   * `absent` plus the rows that are about to be deleted. Only scans that do not read any of them may use the
   * part.
   */
  claimed: readonly RowRange[];
  /** The `scanIdentity` of the scan that `claimed` came from. */
  claimedScan: string;
  /** The `rowsIdentity` of the rows that the part was loaded for. */
  readonly rows: string;
  /** The number of these rows, including deleted ones. */
  readonly addressedRows: number;
  /** The keys of its rows; undefined means all keys. */
  readonly keys: TabletKeys | undefined;
  /** Whether the part is being removed or is already removed. */
  removed: boolean;
  lastUsedMs: number;
}

export const liveRows = ({
  tablet,
  absent,
  keys,
}: Pick<ResidentPart, 'tablet' | 'absent' | 'keys'>): number =>
  rowsWithKeys({ tablet, keys }, tablet.rows - rowsIn(absent));

/** The total bytes of some columns. */
const bytesOf = (columnBytes: ReadonlyMap<number, number>, columns: readonly number[]): number =>
  columns.reduce((sum, id) => sum + (columnBytes.get(id) ?? 0), 0);

/**
 * The stored bytes of some columns that a scan of the part reads: the fraction that equals the fraction of the
 * part's rows that the scan addresses, or that it estimates to have its keys.
 */
export function bytesRead(part: ResidentPart, scan: ScanTablet, columns: readonly number[]): number {
  const bytes = bytesOf(part.columnBytes, columns);
  if (part.keys !== undefined && scan.keys !== undefined)
    return Math.round((bytes * scan.keys.rows) / Math.max(1, part.keys.rows));
  return Math.round((bytes * rowsIn(rowsOf(scan))) / part.addressedRows);
}

/** A scan that may be running. A change waits for the scans that it would disturb. */
export interface ResidentTableUse {
  /** Whether it reads the whole resident table without a condition of its own. */
  readonly exact: boolean;
  /** The `contentsVersion` of the rows that it reads, if known. */
  readonly version: number | undefined;
  readonly share: string | undefined;
  readonly done: Promise<void>;
}

/**
 * A resident table: a native table of the kernel with columns of the rows of some tablets. Its content
 * changes while scans run, under two rules. A row is only appended while no scan reads the table without a
 * condition; the other scans carry an upper bound on positions. A row is only deleted after every scan that
 * needs it has ended: new scans do not use a part if they need its `claimed` rows.
 */
export class ResidentTable {
  readonly name: string;
  readonly key: ResidentTableKey;
  readonly columns: ReadonlyMap<number, Column>;
  readonly uncompressed: ReadonlySet<number>;
  readonly parts = new Map<TabletId, ResidentPart>();
  readonly uses = new Set<ResidentTableUse>();
  /** The next free position; larger than the position of every row. */
  nextPosition = 0;
  nextOrdinal = 0;
  /** The `contentsVersion` whose rows it holds exactly; undefined while it changes or holds other rows. */
  exactAt: number | undefined;
  /** The share of the table that it holds or is changing to; undefined means the whole table. */
  share: string | undefined;
  /** The memory in bytes that it occupied when it was loaded or last changed. */
  bytes = 0;
  /** The time that its last change took in the kernel. */
  lastChangeMs = 0;
  /** The number of rows that are neither deleted nor absent. */
  liveRows = 0;
  /** The stored bytes of the columns of its tablets, by column id. */
  readonly #columnBytes = new Map<number, number>();
  /** The number of removed parts whose rows are still there. */
  partsGoing = 0;
  /** The time of the last scan that read all of it. */
  lastUsedMs: number;

  /** @param uncompressed the ids of text columns that the kernel does not compress */
  constructor(
    name: string,
    key: ResidentTableKey,
    columns: readonly Column[],
    uncompressed: ReadonlySet<number>,
    nowMs: number,
  ) {
    this.name = name;
    this.key = key;
    this.uncompressed = uncompressed;
    this.columns = new Map(columns.map((column) => [column.id, column]));
    this.lastUsedMs = nowMs;
  }

  /** The table's name for FROM. */
  get relation(): string {
    return `hot.main."${this.name}"`;
  }

  get isLosingParts(): boolean {
    return this.partsGoing > 0;
  }

  /** Adds a part whose rows are in the kernel's table. */
  add(part: ResidentPart): void {
    this.parts.set(part.tablet.id, part);
    this.#count(part, 1);
  }

  /** Forgets a part whose rows have been deleted. */
  delete(part: ResidentPart): void {
    if (this.parts.get(part.tablet.id) !== part) return;
    this.parts.delete(part.tablet.id);
    this.#count(part, -1);
  }

  /**
   * Records the rows of a part that the kernel's table does not hold, because they were deleted or never
   * loaded.
   */
  leaveOut(part: ResidentPart, absent: readonly RowRange[]): void {
    this.liveRows -= liveRows(part);
    part.absent = absent;
    this.liveRows += liveRows(part);
  }

  #count(part: ResidentPart, sign: 1 | -1): void {
    this.liveRows += sign * liveRows(part);
    for (const [id, bytes] of part.columnBytes)
      this.#columnBytes.set(id, (this.#columnBytes.get(id) ?? 0) + sign * bytes);
  }

  /**
   * The rows and the stored bytes of some columns that a scan of all its rows reads. Where the number of rows with some keys is an
   * estimate, that of the scan counts and not that of the scan for which they were loaded: so the parts of all nodes add up to the tablet.
   */
  readBy(tablets: readonly ScanTablet[], columns: readonly number[]): { rows: number; bytes: number } {
    let [rows, bytes] = [this.liveRows, bytesOf(this.#columnBytes, columns)];
    for (const scan of tablets) {
      const part = scan.keys && this.parts.get(scan.tablet.id);
      if (part === undefined) continue;
      rows += liveRows({ ...part, keys: scan.keys }) - liveRows(part);
      bytes += bytesRead(part, scan, columns) - bytesOf(part.columnBytes, columns);
    }
    return { rows, bytes };
  }

  /** Whether it has the columns, with their types. */
  holds(columns: readonly Column[]): boolean {
    return columns.every((column) => this.columns.get(column.id)?.type === column.type);
  }

  /** Whether it has all rows that the scans of the tablets address, deleted or not. */
  hasAll(tablets: readonly ScanTablet[]): boolean {
    return tablets.every((scan) => this.parts.get(scan.tablet.id)?.rows === rowsIdentity(scan));
  }

  /** Records that it holds exactly what was desired. */
  isNow({
    version,
    share,
  }: {
    readonly version: number | undefined;
    readonly share: string | undefined;
  }): void {
    this.exactAt = version;
    this.share = share;
  }

  use(scan: Pick<ResidentTableUse, 'exact' | 'version' | 'share'>): { release(): void } {
    const { promise: done, resolve } = Promise.withResolvers<void>();
    const use: ResidentTableUse = { ...scan, done };
    this.uses.add(use);
    return {
      release: () => {
        this.uses.delete(use);
        resolve();
      },
    };
  }

  /** Resolves when the running scans that match `which` have ended. */
  async quiet(which: (use: ResidentTableUse) => boolean = () => true): Promise<void> {
    await Promise.all([...this.uses].filter(which).map((use) => use.done));
  }

  /** The parts that are not being removed. */
  liveParts(): ResidentPart[] {
    return [...this.parts.values()].filter((part) => !part.removed);
  }

  /** The time when rows of the part were last read. */
  lastUse(part: ResidentPart): number {
    return Math.max(this.lastUsedMs, part.lastUsedMs);
  }
}
