import type { Snapshot, TableObject, Tablet } from '@tessera/catalog';
import type { TableFacts } from '@tessera/planner';
import { orderOf } from '@tessera/tablet';
import { distinctBounds } from './distinct-bounds.ts';
import { plannedRows } from './mirror-tables.ts';

/** The number of tablets that are sampled. */
const SAMPLED_TABLETS = 256;
/**
 * If the ranges of tablets cover the whole range at most this many times, they are assumed to hardly overlap.
 */
const MOST_COVERED = 2;

/**
 * The columns for which rows with equal values are mostly in the same tablet: the first column that tablets
 * are sorted by, if their ranges hardly overlap.
 */
function clusteredBy(table: TableObject, tablets: readonly Tablet[]): ReadonlySet<string> {
  const column = table.columns.find(({ id }) => id === table.primaryIndex[0]);
  const order = column === undefined ? undefined : orderOf(column.type);
  if (column === undefined || order === undefined || tablets.length === 0) return new Set();
  const step = Math.max(1, tablets.length / SAMPLED_TABLETS);
  let [min, max, covered] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 0];
  for (let i = 0; i < tablets.length; i += step) {
    const found = tablets[Math.floor(i)]!.statistics.find((one) => one.column === column.id);
    if (found?.min === undefined || found.max === undefined) return new Set();
    const [low, high] = [Number(order.parse(found.min)), Number(order.parse(found.max))];
    min = Math.min(min, low);
    max = Math.max(max, high);
    covered += (high - low) * step;
  }
  return new Set(covered <= (max - min) * MOST_COVERED ? [column.name] : []);
}

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
