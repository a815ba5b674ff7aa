import { type Json, list } from '../codec/codec.ts';
import { deletionVector } from '../codec/model-codecs.ts';
import type { ObjectId, Tablet } from '../model.ts';
import { PersistentMap } from '../persistent/persistent-map.ts';
import type { StoredContents } from '../state/state-parts.ts';
import { TableContents, type TableTotals, type VectorState } from '../state/table-contents.ts';
import { decodePage, type Page, PageCache } from './container.ts';
import { tabletPage, tabletsOf } from './tablet-page.ts';

/** The contents of a table as pages. */
export interface ContentsPages {
  readonly tablets: readonly Page[];
  /** Absent when the table has no deletion vectors. */
  readonly vectors: Page | undefined;
}

const tabletPages = new PageCache<readonly Tablet[]>();
const vectorPages = new PageCache<PersistentMap<VectorState>>();
const vectorList = list(deletionVector);

/** Pages of contents that were not touched since they were read, or last written, are not made again. */
export function pagesOf(contents: StoredContents): ContentsPages {
  if (contents instanceof EncodedContents) return contents.pages;
  const loaded = contents.load();
  return {
    tablets: loaded.chunks().map((chunk) => tabletPages.pageOf(chunk, tabletPage)),
    vectors: loaded.vectors.size === 0 ? undefined : vectorPages.pageOf(loaded.vectors, vectorPage),
  };
}

/** The contents of a table as a checkpoint has them; read when they are first asked for. */
export class EncodedContents implements StoredContents {
  readonly version: number;
  readonly totals: TableTotals;
  readonly pages: ContentsPages;
  readonly #tableId: ObjectId;
  #loaded: TableContents | undefined;

  constructor(tableId: ObjectId, version: number, totals: TableTotals, pages: ContentsPages) {
    this.#tableId = tableId;
    this.version = version;
    this.totals = totals;
    this.pages = pages;
  }

  load(): TableContents {
    if (this.#loaded !== undefined) return this.#loaded;
    const chunks = this.pages.tablets.map((page) => {
      const tablets = tabletsOf(decodePage(page), this.#tableId);
      tabletPages.learn(tablets, page);
      return tablets;
    });
    this.#loaded = TableContents.from(this.version, this.totals, chunks, this.#vectors());
    return this.#loaded;
  }

  #vectors(): PersistentMap<VectorState> {
    const page = this.pages.vectors;
    if (page === undefined) return PersistentMap.empty();
    const json = decodePage(page) as { versions: number[]; vectors: unknown };
    const vectors = PersistentMap.from(
      vectorList
        .fromJson(json.vectors, 'vectors')
        .map((vector, i) => [vector.tabletId, { vector, version: json.versions[i]! }] as const),
    );
    vectorPages.learn(vectors, page);
    return vectors;
  }
}

function vectorPage(vectors: PersistentMap<VectorState>): Json {
  const sorted = [...vectors].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, state]) => state);
  return {
    versions: sorted.map((state) => state.version),
    vectors: vectorList.toJson(sorted.map((state) => state.vector)),
  };
}
