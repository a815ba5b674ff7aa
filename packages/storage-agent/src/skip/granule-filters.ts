import type { TableObject, Tablet, TabletId } from '@tessera/catalog';
import { type Kernel, type KernelSession, quoteName } from '@tessera/kernel';
import {
  GRANULE_COLUMN,
  type GranuleFilter,
  HASH_IDENTITY_SQL,
  HASHES_COLUMN,
  hashesSql,
  valueSet,
} from '@tessera/tablet';
import type { FilterRequest, Scan, ScanRequest, StoredFilter, TabletFilters } from '../storage-agent.ts';

/** The memory for filters of earlier queries. */
const CACHE_BYTES = 32 * 2 ** 20;
/** The size of a granule's entry without its filter, and of a value of a set. */
const ENTRY_BYTES = 64;

/** The filters of one column, by granule. */
type FiltersOfTablet = ReadonlyMap<number, GranuleFilter>;
type FiltersOfTablets = ReadonlyMap<TabletId, FiltersOfTablet>;

interface Kept {
  readonly granules: FiltersOfTablet;
  readonly bytes: number;
}

/** Reads the filters of skip indexes, and keeps the ones that were used last in memory. */
export class GranuleFilters {
  readonly #kernel: Kernel;
  readonly #prepareScan: (request: ScanRequest) => Promise<Scan>;
  readonly #kept = new Map<string, Kept>();
  #bytes = 0;

  constructor(kernel: Kernel, prepareScan: (request: ScanRequest) => Promise<Scan>) {
    this.#kernel = kernel;
    this.#prepareScan = prepareScan;
  }

  /** The kernel's hashes of constants, by their text. */
  async hashes(type: string, constants: readonly string[]): Promise<ReadonlyMap<string, bigint>> {
    const session = await this.#kernel.session({ timeZone: 'UTC' });
    try {
      const texts = await session.scalar(hashesSql(type), [JSON.stringify(constants)]);
      return new Map(
        String(texts)
          .split(',')
          .map((text, i) => [constants[i]!, BigInt(text)]),
      );
    } finally {
      await session.close();
    }
  }

  /** The filters of the granules of tablets, a few tablets at a time. */
  async *read(request: FilterRequest): AsyncGenerator<TabletFilters, void> {
    for (const tablets of inParts(request.tablets)) {
      const ofColumns = new Map<string, FiltersOfTablets>();
      for (const column of request.columns)
        ofColumns.set(column.column, await this.#ofColumn({ ...request, tablets }, column));
      for (const tablet of tablets) {
        const of = (granule: number): ReadonlyMap<string, GranuleFilter> => {
          const filters = new Map<string, GranuleFilter>();
          for (const [name, found] of ofColumns) {
            const filter = found.get(tablet.id)?.get(granule);
            if (filter !== undefined) filters.set(name, filter);
          }
          return filters;
        };
        yield { tablet, of };
      }
    }
  }

  async #ofColumn(request: FilterRequest, column: StoredFilter): Promise<FiltersOfTablets> {
    const found = new Map<TabletId, FiltersOfTablet>();
    const missing: Tablet[] = [];
    for (const tablet of request.tablets) {
      const kept = this.#take(keyOf(tablet.id, column));
      if (kept === undefined) missing.push(tablet);
      else found.set(tablet.id, kept.granules);
    }
    if (missing.length === 0) return found;
    for (const [id, granules] of await this.#stored({ ...request, tablets: missing }, column)) {
      this.#keep(keyOf(id, column), granules);
      found.set(id, granules);
    }
    return found;
  }

  #take(key: string): Kept | undefined {
    const kept = this.#kept.get(key);
    if (kept === undefined) return undefined;
    this.#kept.delete(key);
    this.#kept.set(key, kept);
    return kept;
  }

  #keep(key: string, granules: FiltersOfTablet): void {
    let bytes = ENTRY_BYTES;
    for (const filter of granules.values()) bytes += sizeOf(filter);
    if (bytes > CACHE_BYTES) return;
    this.#bytes += bytes - (this.#kept.get(key)?.bytes ?? 0);
    this.#kept.delete(key);
    this.#kept.set(key, { granules, bytes });
    for (const [old, { bytes: freed }] of this.#kept) {
      if (this.#bytes <= CACHE_BYTES) break;
      this.#kept.delete(old);
      this.#bytes -= freed;
    }
  }

  async #stored({ table, tablets, signal }: FilterRequest, column: StoredFilter): Promise<FiltersOfTablets> {
    const session = await this.#kernel.session({ timeZone: 'UTC', signal });
    try {
      const scan = await this.#prepareScan({
        session,
        table,
        tablets: tablets.map((tablet) => ({ tablet })),
        columns: [GRANULE_COLUMN, HASHES_COLUMN, column.name].map((name) => idOf(table, name)),
        rowPositions: true,
        once: true,
        signal,
      });
      try {
        return await filtersIn(session, scan.sql, tablets, column);
      } finally {
        scan.release();
      }
    } finally {
      await session.close();
    }
  }
}

/** Divides tablets so that the filters of a part fit into the cache. */
function inParts(tablets: readonly Tablet[]): readonly Tablet[][] {
  const parts: Tablet[][] = [];
  let bytes = 0;
  for (const tablet of tablets) {
    bytes += tablet.uncompressedBytes;
    if (parts.length > 0 && bytes <= CACHE_BYTES) parts.at(-1)!.push(tablet);
    else {
      parts.push([tablet]);
      bytes = tablet.uncompressedBytes;
    }
  }
  return parts;
}

const keyOf = (id: TabletId, { name }: StoredFilter): string => `${id}/${name}`;

const idOf = ({ columns }: TableObject, name: string): number =>
  columns.find((column) => column.name === name)!.id;

const sizeOf = (filter: GranuleFilter): number =>
  ENTRY_BYTES + (filter.kind === 'set' ? filter.values.length * ENTRY_BYTES : filter.bits.length);

/** Filters of a kernel that hashes otherwise are left out. */
async function filtersIn(
  session: KernelSession,
  relation: string,
  tablets: readonly Tablet[],
  column: StoredFilter,
): Promise<FiltersOfTablets> {
  const stored = quoteName(column.name);
  const text = column.kind === 'set' ? stored : `to_base64(${stored})`;
  const found = tablets.map(() => new Map<number, GranuleFilter>());
  const { batches } = await session.query(
    `SELECT "$tablet" || ' ' || ${GRANULE_COLUMN} || ' ' || ${text} || chr(10) FROM ${relation}
      WHERE ${stored} IS NOT NULL AND ${HASHES_COLUMN} = ${HASH_IDENTITY_SQL}`,
  );
  for await (const batch of batches) {
    for (const line of Buffer.from(batch.textColumn(0)).toString('utf8').split('\n')) {
      const [, tablet, granule, content] = /^(\d+) (\d+) (.*)$/s.exec(line) ?? [];
      if (content === undefined) continue;
      found[Number(tablet)]!.set(Number(granule), decoded(content, column));
    }
  }
  return new Map(tablets.map(({ id }, i) => [id, found[i]!]));
}

const decoded = (content: string, { kind, type }: StoredFilter): GranuleFilter =>
  kind === 'set' ? valueSet(content, type) : { kind, bits: Buffer.from(content, 'base64') };
