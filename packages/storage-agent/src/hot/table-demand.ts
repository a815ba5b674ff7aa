import type { Column, TableObject, TabletId } from '@tessera/catalog';
import type { ScanTablet } from '../storage-agent.ts';
import type { ResidentTableKey } from './resident-table.ts';

/** Columns that no scan has read for this long are left out when a resident table is built. */
const COLUMN_MEMORY_MS = 3_600_000;
/** After this many scans of single granules of a tablet, the whole tablet is wanted. */
const PARTIAL_READS = 3;
/** A smaller table is always loaded whole. */
const SMALL_TABLE_BYTES = 64 * 2 ** 20;

/** The complete contents of a table at one version. */
export interface TableContents {
  readonly version: number;
  /** The share of the table that these contents are; undefined means the whole table. */
  readonly share: string | undefined;
  /** Undefined if the tablets are not known. */
  readonly tablets: (() => readonly ScanTablet[]) | undefined;
}

/** The desired contents of a resident table. */
export interface Desired {
  readonly table: TableObject;
  readonly columns: readonly Column[];
  readonly tablets: readonly ScanTablet[];
  /** The version of the table, if `tablets` are all of its tablets. */
  readonly version: number | undefined;
  readonly share: string | undefined;
}

/** The properties of a scan that later scans may have in common. */
export interface NotedScan {
  readonly table: TableObject;
  /** The ids of the columns that it reads. */
  readonly columns: ReadonlySet<number>;
  readonly tablets: readonly ScanTablet[];
  /** The contents of the table at the scan's snapshot. */
  readonly contents: TableContents;
  /** Whether it reads all of the contents. */
  readonly isWhole: boolean;
  readonly nowMs: number;
}

/** What recent scans wanted of one table. */
export class TableDemand {
  readonly key: ResidentTableKey;
  table: TableObject;
  readonly #columns = new Map<number, number>();
  #version = 0;
  #share: string | undefined;
  #contents: (() => readonly ScanTablet[]) | undefined;
  #all: readonly ScanTablet[] | undefined;
  #wantsAll = false;
  /** The number of reads of tablets by scans that did not read the whole table. */
  readonly #reads = new Map<TabletId, { scan: ScanTablet; reads: number }>();
  /** The time before which loading is not tried again, after it failed or there was no room. */
  blockedUntilMs = 0;

  constructor(key: ResidentTableKey, table: TableObject) {
    this.key = key;
    this.table = table;
  }

  /** Records a scan. Contents older than the known ones are ignored. */
  note({ table, columns, tablets, contents, isWhole, nowMs }: NotedScan): void {
    if (table.schemaVersion >= this.table.schemaVersion) this.table = table;
    for (const column of columns) this.#columns.set(column, nowMs);
    if (this.#isNews(contents)) this.#take(contents);
    if (contents.share !== this.#share) return;
    if (isWhole) {
      this.#wantsAll = true;
      this.#reads.clear();
    }
    if (this.#wantsAll) return;
    for (const scan of tablets) {
      const reads = this.#reads.get(scan.tablet.id)?.reads ?? 0;
      const more = scan.granules === undefined ? PARTIAL_READS : 1;
      this.#reads.set(scan.tablet.id, { scan, reads: reads + more });
    }
  }

  #isNews({ version, share, tablets }: TableContents): boolean {
    if (tablets === undefined) return this.#contents === undefined;
    return version > this.#version || (version === this.#version && share !== this.#share);
  }

  #take({ version, share, tablets }: TableContents): void {
    if (share !== this.#share) this.#reads.clear();
    this.#share = share;
    if (tablets === undefined) return;
    this.#version = version;
    this.#contents = tablets;
    this.#all = undefined;
  }

  forget(tablets: ReadonlySet<TabletId>): void {
    for (const id of tablets) this.#reads.delete(id);
  }

  /** Forgets the demand after the tablets were evicted: they must be requested again. */
  reset(untilMs: number): void {
    this.#wantsAll = false;
    this.#reads.clear();
    this.blockedUntilMs = untilMs;
  }

  desired(nowMs: number): Desired {
    const columns = this.table.columns.filter((c) => {
      const usedMs = this.#columns.get(c.id);
      return usedMs !== undefined && nowMs - usedMs < COLUMN_MEMORY_MS;
    });
    this.#all ??= this.#contents?.();
    const all = this.#all;
    if (all !== undefined && (this.#wantsAll || isSmall(all) || this.#areRead(all))) {
      return { table: this.table, columns, tablets: all, version: this.#version, share: this.#share };
    }
    return {
      table: this.table,
      columns,
      tablets: this.#alone(),
      version: undefined,
      share: this.#share,
    };
  }

  #areRead(all: readonly ScanTablet[]): boolean {
    return (
      this.#reads.size >= all.length &&
      all.every(({ tablet }) => (this.#reads.get(tablet.id)?.reads ?? 0) >= PARTIAL_READS)
    );
  }

  #alone(): ScanTablet[] {
    return [...this.#reads.values()].filter((read) => read.reads >= PARTIAL_READS).map((read) => read.scan);
  }
}

function isSmall(tablets: readonly ScanTablet[]): boolean {
  let bytes = 0;
  return tablets.every(({ tablet }) => {
    bytes += tablet.bytes;
    return bytes <= SMALL_TABLE_BYTES;
  });
}
