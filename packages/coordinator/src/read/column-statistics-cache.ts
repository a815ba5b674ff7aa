import type { Snapshot, TableObject, Tablet } from '@tessera/catalog';
import type { TableFacts } from '@tessera/planner';
import { orderOf } from '@tessera/tablet';
import { distinctBounds, nullShares } from './distinct-bounds.ts';
import { plannedRows } from './mirror-tables.ts';
import type { ValueSampler } from './sample-values.ts';
import { SampledValues } from './sampled-values.ts';

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

export type ColumnStatistics = Pick<TableFacts, 'distinct' | 'clusteredBy' | 'values'>;

interface Known {
  readonly rows: number;
  readonly statistics: ColumnStatistics;
  readonly values: SampledValues;
  /** Without `values`. */
  readonly bytes: number;
}

/** The memory of a cache entry with its table and maps, and of a column in it without its name. */
const ENTRY_BYTES = 512;
const COLUMN_BYTES = 64;
/** Tables with fewer rows are not sampled. */
const SAMPLED_ROWS = 8192;
/** A table that could not be read is sampled again after this time. */
const RETRY_AFTER_MS = 60_000;

/**
 * Caches the column statistics that are derived from a table's tablets. They are computed when a plan first
 * needs them, and again when a table has doubled. The common values of columns that plans ask for are sampled
 * in the background, one table at a time, and again when the table has doubled or lost many of the sampled tablets.
 * If all statistics together exceed a limit, by estimate, the least recently used are dropped.
 */
export class ColumnStatisticsCache {
  readonly #maxBytes: number;
  readonly #sampler: ValueSampler | undefined;
  /** Entries, least recently used first. An altered table is another object. */
  readonly #known = new Map<TableObject, Known>();
  #bytes = 0;
  /** The tables to sample, with the names of the columns. */
  readonly #wanted = new Map<TableObject, Set<string>>();
  #sampling: Promise<void> | undefined;

  /** @param sampler if undefined, no values are sampled */
  constructor(maxBytes: number, sampler?: ValueSampler) {
    this.#maxBytes = maxBytes;
    this.#sampler = sampler;
  }

  /** The estimated total size of the cache. */
  get bytes(): number {
    return this.#bytes;
  }

  of(snapshot: Snapshot, table: TableObject): ColumnStatistics {
    const rows = plannedRows(snapshot, table);
    const found = this.#known.get(table);
    this.#forget(table);
    const known = found?.rows === rows ? found : this.#statisticsOf(snapshot, table, rows, found?.values);
    this.#keep(table, known);
    if (found !== undefined && (known !== found || known.values.isOutdated(snapshot, table.id)))
      this.#want(table, known.values.sampledColumns);
    return known.statistics;
  }

  /** Resolves when no table is being sampled. */
  async settled(): Promise<void> {
    await this.#sampling;
  }

  #statisticsOf(snapshot: Snapshot, table: TableObject, rows: number, before?: SampledValues): Known {
    const tablets = snapshot.tablets(table.id);
    const clustered = clusteredBy(table, tablets);
    const nulls = nullShares(table, tablets);
    const values = new SampledValues({
      nulls,
      ask: (column) => this.#want(table, [column]),
      before,
    });
    const statistics = {
      distinct: distinctBounds(table, tablets, clustered),
      clusteredBy: clustered,
      values,
    };
    const names = [...statistics.distinct.keys(), ...statistics.clusteredBy, ...nulls.keys()];
    const bytes = names.reduce((sum, name) => sum + COLUMN_BYTES + 2 * name.length, ENTRY_BYTES);
    return { rows, statistics, values, bytes };
  }

  #want(table: TableObject, columns: Iterable<string>): void {
    const known = this.#known.get(table);
    if (this.#sampler === undefined || known === undefined || known.rows < SAMPLED_ROWS) return;
    const wanted = this.#wanted.get(table) ?? new Set();
    for (const column of columns) wanted.add(column);
    if (wanted.size === 0) return;
    this.#wanted.set(table, wanted);
    this.#sampling ??= this.#sample(this.#sampler);
  }

  #wantLater(table: TableObject, columns: Iterable<string>): undefined {
    setTimeout(() => this.#want(table, columns), RETRY_AFTER_MS).unref();
  }

  async #sample(sampler: ValueSampler): Promise<void> {
    for (const [table, columns] of this.#wanted) {
      this.#wanted.delete(table);
      // Without a sample, the estimates stay as they are. A store that cannot be reached is no reason to fail: queries that
      // need the rows say so.
      const sample = await sampler(table.id, columns).catch(() => this.#wantLater(table, columns));
      const known = this.#known.get(table);
      if (sample === undefined || known === undefined) continue;
      this.#bytes -= known.values.bytes;
      known.values.add(sample);
      this.#bytes += known.values.bytes;
      this.#evict();
    }
    // Nothing awaits between the last turn of the loop and here, so no table was added meanwhile.
    this.#sampling = undefined;
  }

  #keep(table: TableObject, known: Known): void {
    this.#known.set(table, known);
    this.#bytes += known.bytes + known.values.bytes;
    this.#evict();
  }

  #evict(): void {
    for (const [oldest] of this.#known) {
      if (this.#bytes <= this.#maxBytes) break;
      this.#forget(oldest);
    }
  }

  #forget(table: TableObject): void {
    const known = this.#known.get(table);
    if (known === undefined) return;
    this.#known.delete(table);
    this.#bytes -= known.bytes + known.values.bytes;
  }
}
