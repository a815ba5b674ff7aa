import type { Column, TableObject, TabletId } from '@tessera/catalog';
import type { ScanTablet } from '../storage-agent.ts';

/** Columns that no scan read for so long are left out when an image is built. */
const COLUMN_MEMORY_MS = 3_600_000;
/** Scans of single granules of a tablet after which the whole of it is wanted. */
const PARTIAL_READS = 3;

/** All contents of a table at one version. */
export interface TableContents {
  readonly version: number;
  readonly tablets: readonly ScanTablet[];
}

/** What an image of the table should hold. */
export interface Desired {
  readonly table: TableObject;
  readonly columns: readonly Column[];
  readonly tablets: readonly ScanTablet[];
  /** Of the table when `tablets` are all of its tablets. */
  readonly version: number | undefined;
}

/** What scans wanted of one table of late. */
export class TableDemand {
  table: TableObject;
  readonly #columns = new Map<number, number>();
  #contents: TableContents | undefined;
  /** Tablets that were read without knowledge of the others. */
  readonly #single = new Map<TabletId, { scan: ScanTablet; reads: number }>();
  /** Until then it is not tried to load the table: there was no room, or it failed. */
  blockedUntilMs = 0;

  constructor(table: TableObject) {
    this.table = table;
  }

  /** `contents`: what the table holds, where the scan knows; older ones than known are ignored. */
  note(
    table: TableObject,
    columns: readonly number[],
    tablets: readonly ScanTablet[],
    contents: TableContents | undefined,
    nowMs: number,
  ): void {
    if (table.schemaVersion >= this.table.schemaVersion) this.table = table;
    for (const column of columns) this.#columns.set(column, nowMs);
    if (contents !== undefined) {
      if (this.#contents === undefined || contents.version > this.#contents.version)
        this.#contents = contents;
      return;
    }
    for (const scan of tablets) {
      const before = this.#single.get(scan.tablet.id)?.reads ?? 0;
      const reads = before + (scan.granules === undefined ? PARTIAL_READS : 1);
      this.#single.set(scan.tablet.id, { scan, reads });
    }
  }

  forget(tablets: ReadonlySet<TabletId>): void {
    for (const id of tablets) this.#single.delete(id);
    if (this.#contents?.tablets.some((t) => tablets.has(t.tablet.id))) this.#contents = undefined;
  }

  desired(nowMs: number): Desired {
    const columns = this.table.columns.filter((c) => {
      const usedMs = this.#columns.get(c.id);
      return usedMs !== undefined && nowMs - usedMs < COLUMN_MEMORY_MS;
    });
    const tablets =
      this.#contents?.tablets ??
      [...this.#single.values()].filter((s) => s.reads >= PARTIAL_READS).map((s) => s.scan);
    return { table: this.table, columns, tablets, version: this.#contents?.version };
  }
}
