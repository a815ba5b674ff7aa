import type { Column, ObjectId, Tablet, TabletId } from '@tessera/catalog';
import type { TabletKeys } from '@tessera/tablet';
import { type RowRange, rowsIn } from '../scan/row-ranges.ts';
import { rowsIdentity } from '../scan/scan-rows.ts';
import { rowsWithKeys } from '../scan/tablet-keys.ts';
import type { ScanTablet } from '../storage-agent.ts';

/** Ordinal of a row's part in its image. */
export const PART_COLUMN = '"$part"';
/**
 * Of a row in its image: `start` of its part plus its position in the body. Row ids of the kernel would not do: they move
 * when a checkpoint drops deleted rows.
 */
export const POSITION_COLUMN = '"$position"';

/** A table has two images at most: of the whole of it, and of the part that this node is to keep. */
export type ImageKey = string & { readonly __brand: 'ImageKey' };

export const imageKey = (tableId: ObjectId, share: string | undefined): ImageKey =>
  (share === undefined ? tableId : `${tableId}/share`) as ImageKey;

export const keysOf = (tableId: ObjectId): ImageKey[] => [
  imageKey(tableId, undefined),
  imageKey(tableId, ''),
];

/** The rows of one tablet in an image. */
export interface ImagePart {
  readonly tablet: Tablet;
  readonly ordinal: number;
  /** Position of the row that is first in the body. */
  readonly start: number;
  /** Stored bytes of the tablet's columns, by id. */
  readonly columnBytes: ReadonlyMap<number, number>;
  /** Rows of the body that the kernel's table does not hold. */
  absent: readonly RowRange[];
  /** `absent` and the rows that are about to be deleted: only scans that leave them out anyway may use the part. */
  claimed: readonly RowRange[];
  /** Of the scan that `claimed` came from: `scanIdentity`. */
  claimedScan: string;
  /** Rows of the tablet that the part is about: `rowsIdentity`. */
  readonly rows: string;
  /** The keys that its rows have; undefined: all. */
  readonly keys: TabletKeys | undefined;
  /** Going, or gone already. */
  removed: boolean;
  lastUsedMs: number;
}

export const liveRows = ({ tablet, absent, keys }: Pick<ImagePart, 'tablet' | 'absent' | 'keys'>): number =>
  rowsWithKeys({ tablet, keys }, tablet.rows - rowsIn(absent));

/** Of some columns together. */
export const bytesOf = (columnBytes: ReadonlyMap<number, number>, columns: readonly number[]): number =>
  columns.reduce((sum, id) => sum + (columnBytes.get(id) ?? 0), 0);

/** Scans that may be running; a change waits for those that it would disturb. */
export interface ImageUse {
  /** Reads the kernel's table as it is, without a condition of its own. */
  readonly exact: boolean;
  /** `contentsVersion` of what it reads, where that is known. */
  readonly version: number | undefined;
  readonly share: string | undefined;
  readonly done: Promise<void>;
}

/**
 * A native table of the kernel, with columns of the rows of some tablets of a table. Its content is changed behind
 * running scans under two rules. A row is appended only when no scan reads the table as it is; the other scans carry a
 * bound on positions. A row is deleted only when every scan that could miss it has ended: new ones are kept from using a
 * part whose `claimed` rows they need.
 */
export class Image {
  readonly name: string;
  readonly key: ImageKey;
  readonly columns: ReadonlyMap<number, Column>;
  readonly parts = new Map<TabletId, ImagePart>();
  readonly uses = new Set<ImageUse>();
  /** Position that no row has reached. */
  nextPosition = 0;
  nextOrdinal = 0;
  /** `contentsVersion` that it holds exactly all rows of; undefined while it is changed or holds others. */
  exactAt: number | undefined;
  /** The part of the table that it holds or is on the way to; undefined: the whole table. */
  share: string | undefined;
  /** Memory it takes, as it was measured when it was loaded or last changed. */
  bytes = 0;
  /** Rows that are neither deleted nor left out. */
  liveRows = 0;
  /** Stored bytes of the columns of its tablets, by id. */
  readonly #columnBytes = new Map<number, number>();
  /** Removed parts whose rows are still there. */
  partsGoing = 0;
  /** Last scan of it as a whole. */
  lastUsedMs: number;

  constructor(name: string, key: ImageKey, columns: readonly Column[], nowMs: number) {
    this.name = name;
    this.key = key;
    this.columns = new Map(columns.map((column) => [column.id, column]));
    this.lastUsedMs = nowMs;
  }

  /** For FROM. */
  get relation(): string {
    return `hot.main."${this.name}"`;
  }

  get isLosingParts(): boolean {
    return this.partsGoing > 0;
  }

  /** Takes a part in whose rows are in the kernel's table. */
  add(part: ImagePart): void {
    this.parts.set(part.tablet.id, part);
    this.#count(part, 1);
  }

  /** Forgets a part whose rows are gone. */
  delete(part: ImagePart): void {
    if (this.parts.get(part.tablet.id) !== part) return;
    this.parts.delete(part.tablet.id);
    this.#count(part, -1);
  }

  /** The rows of a part that are gone from the kernel's table, or were never there. */
  leaveOut(part: ImagePart, absent: readonly RowRange[]): void {
    this.liveRows -= liveRows(part);
    part.absent = absent;
    this.liveRows += liveRows(part);
  }

  #count(part: ImagePart, sign: 1 | -1): void {
    this.liveRows += sign * liveRows(part);
    for (const [id, bytes] of part.columnBytes)
      this.#columnBytes.set(id, (this.#columnBytes.get(id) ?? 0) + sign * bytes);
  }

  /** Stored bytes of some columns. */
  storedBytes(columns: readonly number[]): number {
    return bytesOf(this.#columnBytes, columns);
  }

  /** Whether it has the columns, with their types. */
  holds(columns: readonly Column[]): boolean {
    return columns.every((column) => this.columns.get(column.id)?.type === column.type);
  }

  /** Whether it has the rows that the scans of tablets are about, deleted or not. */
  hasAll(tablets: readonly ScanTablet[]): boolean {
    return tablets.every((scan) => this.parts.get(scan.tablet.id)?.rows === rowsIdentity(scan));
  }

  /** It holds exactly what was desired. */
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

  use(scan: Pick<ImageUse, 'exact' | 'version' | 'share'>): { release(): void } {
    const { promise: done, resolve } = Promise.withResolvers<void>();
    const use: ImageUse = { ...scan, done };
    this.uses.add(use);
    return {
      release: () => {
        this.uses.delete(use);
        resolve();
      },
    };
  }

  /** Resolves when the scans that are there now, and that `which` picks, have ended. */
  async quiet(which: (use: ImageUse) => boolean = () => true): Promise<void> {
    await Promise.all([...this.uses].filter(which).map((use) => use.done));
  }

  /** Those that are not going. */
  liveParts(): ImagePart[] {
    return [...this.parts.values()].filter((part) => !part.removed);
  }

  /** When the rows of the part were last read. */
  lastUse(part: ImagePart): number {
    return Math.max(this.lastUsedMs, part.lastUsedMs);
  }
}
