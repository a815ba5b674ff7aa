import type { DeletionVector, Tablet, TabletId } from '../model.ts';
import { PersistentMap } from '../persistent/persistent-map.ts';
import { TabletList } from './tablet-list.ts';

/** Sums over the tablets of a table. */
export interface TableTotals {
  readonly tablets: number;
  /** The number of rows in the tablets, including deleted ones. */
  readonly rows: number;
  readonly deletedRows: number;
  readonly bytes: number;
  readonly uncompressedBytes: number;
}

/** A deletion vector and the version of the entry that set it. */
export interface VectorState {
  readonly vector: DeletionVector;
  readonly version: number;
}

/** The tablets and deletion vectors of one table. Immutable. */
export class TableContents {
  /** Log version of the last change; a negative number of its own inside a transaction that is not committed. */
  readonly version: number;
  readonly totals: TableTotals;
  readonly vectors: PersistentMap<VectorState>;
  readonly #list: TabletList;
  readonly #ordinals: PersistentMap<number>;

  private constructor(
    version: number,
    list: TabletList,
    ordinals: PersistentMap<number>,
    vectors: PersistentMap<VectorState>,
    totals: TableTotals,
  ) {
    this.version = version;
    this.#list = list;
    this.#ordinals = ordinals;
    this.vectors = vectors;
    this.totals = totals;
  }

  static empty(version: number): TableContents {
    const totals = { tablets: 0, rows: 0, deletedRows: 0, bytes: 0, uncompressedBytes: 0 };
    return new TableContents(version, TabletList.empty, PersistentMap.empty(), PersistentMap.empty(), totals);
  }

  /** @param chunks the `chunks` of other contents */
  static from(
    version: number,
    totals: TableTotals,
    chunks: readonly (readonly Tablet[])[],
    vectors: PersistentMap<VectorState>,
  ): TableContents {
    const list = TabletList.from(chunks);
    const ordinals = PersistentMap.from(list.all().map((tablet, ordinal) => [tablet.id, ordinal] as const));
    return new TableContents(version, list, ordinals, vectors, totals);
  }

  load(): TableContents {
    return this;
  }

  /** The tablets in the order in which they were added. */
  tablets(): readonly Tablet[] {
    return this.#list.all();
  }

  /** The same tablets, in pieces that stay the same while nothing in them changes. */
  chunks(): readonly (readonly Tablet[])[] {
    return this.#list.chunks();
  }

  tablet(id: TabletId): Tablet | undefined {
    const ordinal = this.#ordinals.get(id);
    return ordinal === undefined ? undefined : this.#list.at(ordinal);
  }

  withTablet(tablet: Tablet, version: number): TableContents {
    const totals = changed(this.totals, tablet, 1, 0);
    const ordinals = this.#ordinals.with(tablet.id, this.#list.nextOrdinal);
    return new TableContents(version, this.#list.with(tablet), ordinals, this.vectors, totals);
  }

  /** Its deletion vector goes too. */
  withoutTablet(tablet: Tablet, version: number): TableContents {
    const list = this.#list.without(this.#ordinals.get(tablet.id)!);
    const deleted = this.vectors.get(tablet.id)?.vector.rows ?? 0;
    const totals = changed(this.totals, tablet, -1, -deleted);
    const vectors = this.vectors.without(tablet.id);
    return new TableContents(version, list, this.#ordinals.without(tablet.id), vectors, totals);
  }

  withVector(vector: DeletionVector, version: number): TableContents {
    const before = this.vectors.get(vector.tabletId)?.vector.rows ?? 0;
    const totals = { ...this.totals, deletedRows: this.totals.deletedRows + vector.rows - before };
    const vectors = this.vectors.with(vector.tabletId, { vector, version });
    return new TableContents(version, this.#list, this.#ordinals, vectors, totals);
  }
}

function changed(totals: TableTotals, tablet: Tablet, sign: 1 | -1, deletedRows: number): TableTotals {
  return {
    tablets: totals.tablets + sign,
    rows: totals.rows + sign * tablet.rows,
    deletedRows: totals.deletedRows + deletedRows,
    bytes: totals.bytes + sign * tablet.bytes,
    uncompressedBytes: totals.uncompressedBytes + sign * tablet.uncompressedBytes,
  };
}
