import type { Snapshot, TableObject } from '@tessera/catalog';
import type { TableFacts } from '@tessera/planner';
import { clusteredBy } from './clustered-by.ts';
import { distinctBounds } from './distinct-bounds.ts';
import { plannedRows } from './mirror-tables.ts';

export type ColumnStatistics = Pick<TableFacts, 'distinct' | 'clusteredBy'>;

interface Known {
  readonly rows: number;
  readonly statistics: ColumnStatistics;
  readonly bytes: number;
}

/** The memory of a cache entry with its table and maps, and of a column in it without its name. */
const ENTRY_BYTES = 512;
const COLUMN_BYTES = 64;

/**
 * Caches the column statistics that are derived from a table's tablets. They are computed when a plan first
 * needs them, and again when a table has doubled. If all of them together exceed a limit, by estimate, the
 * least recently used are dropped.
 */
export class ColumnStatisticsCache {
  readonly #maxBytes: number;
  /** Entries, least recently used first. An altered table is another object. */
  readonly #known = new Map<TableObject, Known>();
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** The estimated total size of the cache. */
  get bytes(): number {
    return this.#bytes;
  }

  of(snapshot: Snapshot, table: TableObject): ColumnStatistics {
    const rows = plannedRows(snapshot, table);
    const found = this.#known.get(table);
    this.#forget(table);
    const known = found?.rows === rows ? found : statisticsOf(snapshot, table, rows);
    this.#known.set(table, known);
    this.#bytes += known.bytes;
    for (const [oldest] of this.#known) {
      if (this.#bytes <= this.#maxBytes) break;
      this.#forget(oldest);
    }
    return known.statistics;
  }

  #forget(table: TableObject): void {
    const known = this.#known.get(table);
    if (known === undefined) return;
    this.#known.delete(table);
    this.#bytes -= known.bytes;
  }
}

function statisticsOf(snapshot: Snapshot, table: TableObject, rows: number): Known {
  const tablets = snapshot.tablets(table.id);
  const clustered = clusteredBy(table, tablets);
  const statistics = { distinct: distinctBounds(table, tablets, clustered), clusteredBy: clustered };
  const names = [...statistics.distinct.keys(), ...statistics.clusteredBy];
  const bytes = names.reduce((sum, name) => sum + COLUMN_BYTES + 2 * name.length, ENTRY_BYTES);
  return { rows, statistics, bytes };
}
