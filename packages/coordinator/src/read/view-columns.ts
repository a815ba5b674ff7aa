import type { ObjectId, Snapshot, ViewObject } from '@tessera/catalog';
import type { OutputColumn } from '@tessera/sql';
import type { NamedRelation } from './bound-query.ts';
import { findRelation } from './statement-relations.ts';

/** The columns of a view, and what they depend on. */
export interface ViewOutput {
  readonly columns: readonly OutputColumn[];
  /** The names in its query and in those of the views that it reads. */
  readonly named: readonly NamedRelation[];
}

interface Known extends ViewOutput {
  readonly view: ViewObject;
}

const MAX_KNOWN = 5_000;

/**
 * The columns of views, which are those of their queries: determined by the kernel and cached as long as they
 * are valid.
 */
export class ViewColumns {
  readonly #known = new Map<ObjectId, Known>();

  /** The columns by view id. A view that cannot be read, for example because its files are gone, has none. */
  async of(
    views: readonly ViewObject[],
    snapshot: Snapshot,
    outputOf: (view: ViewObject) => Promise<ViewOutput>,
  ): Promise<ReadonlyMap<ObjectId, readonly OutputColumn[]>> {
    const columns = new Map<ObjectId, readonly OutputColumn[]>();
    for (const view of views) {
      const known = this.#known.get(view.id);
      const output = known !== undefined && holds(known, view, snapshot) ? known : await outputOf(view);
      this.#remember({ ...output, view });
      columns.set(view.id, output.columns);
    }
    return columns;
  }

  #remember(known: Known): void {
    this.#known.delete(known.view.id);
    this.#known.set(known.view.id, known);
    for (const [oldest] of this.#known) {
      if (this.#known.size <= MAX_KNOWN) return;
      this.#known.delete(oldest);
    }
  }
}

const holds = ({ view, named }: Known, now: ViewObject, snapshot: Snapshot): boolean =>
  view === now &&
  named.every(
    ({ name, database, object }) => findRelation(snapshot, { name, database, inView: true }) === object,
  );
