import type { Column, ObjectId, Tablet, TabletId } from '@tessera/catalog';
import type { RowRange } from '../scan/row-ranges.ts';

/** Ordinal of a row's part in its image. */
export const PART_COLUMN = '"$part"';
/**
 * Of a row in its image: `start` of its part plus its position in the body. Row ids of the kernel would not do: they move
 * when a checkpoint drops deleted rows.
 */
export const POSITION_COLUMN = '"$position"';

/** The rows of one tablet in an image. */
export interface ImagePart {
  readonly tablet: Tablet;
  readonly ordinal: number;
  /** Position of the row that is first in the body. */
  readonly start: number;
  /** Rows of the body that the kernel's table does not hold. */
  absent: readonly RowRange[];
  /** `absent` and the rows that are about to be deleted: only scans that leave them out anyway may use the part. */
  claimed: readonly RowRange[];
  /** Identity of the deletion vector that `claimed` came from; '' = none. */
  claimedVector: string;
  /** Going, or gone already. */
  removed: boolean;
  lastUsedMs: number;
}

/** Scans that may be running; a change waits for those that it would disturb. */
export interface ImageUse {
  /** Reads the kernel's table as it is, without a condition of its own. */
  readonly exact: boolean;
  /** `contentsVersion` of what it reads, where that is known. */
  readonly version: number | undefined;
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
  readonly tableId: ObjectId;
  readonly columns: ReadonlyMap<number, Column>;
  readonly parts = new Map<TabletId, ImagePart>();
  readonly uses = new Set<ImageUse>();
  /** Position that no row has reached. */
  nextPosition = 0;
  nextOrdinal = 0;
  /** `contentsVersion` that it holds exactly all rows of; undefined while it is changed or holds others. */
  exactAt: number | undefined;
  /** Memory it takes, as it was measured when it was loaded or last changed. */
  bytes = 0;
  /** Of the objects of the tablets that it has rows of. */
  objectBytes = 0;
  /** Removed parts whose rows are still there. */
  partsGoing = 0;
  /** Last scan of it as a whole. */
  lastUsedMs: number;

  constructor(name: string, tableId: ObjectId, columns: readonly Column[], nowMs: number) {
    this.name = name;
    this.tableId = tableId;
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

  /** Whether it has the columns, with their types. */
  holds(columns: readonly Column[]): boolean {
    return columns.every((column) => this.columns.get(column.id)?.type === column.type);
  }

  use(exact: boolean, version: number | undefined): { release(): void } {
    const { promise: done, resolve } = Promise.withResolvers<void>();
    const use: ImageUse = { exact, version, done };
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
