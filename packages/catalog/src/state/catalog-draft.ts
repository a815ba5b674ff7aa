import type { Action } from '../actions.ts';
import type { CatalogObject, DeletionVector, ObjectId, Tablet, TabletId } from '../model.ts';
import { Directory, directoryOf } from './directory.ts';
import type { ObjectState, StateParts } from './state-parts.ts';
import { TableContents } from './table-contents.ts';

/**
 * A state being changed. Actions are applied without asking whether they conflict with anybody; one that makes no sense
 * at all (a tablet that is not there) throws.
 */
export class CatalogDraft {
  parts: StateParts;
  /** What changes are marked with. */
  readonly #stamp: number;
  readonly #timeMs: number;

  /** `stamp`: the version that the changes will belong to. `timeMs`: when objects of the store became garbage. */
  constructor(parts: StateParts, stamp: number, timeMs: number) {
    this.parts = parts;
    this.#stamp = stamp;
    this.#timeMs = timeMs;
  }

  object(id: ObjectId): ObjectState | undefined {
    return this.parts.objects.get(id);
  }

  directory(key: string): Directory {
    return this.parts.directories.get(key) ?? Directory.empty;
  }

  contents(tableId: ObjectId): TableContents | undefined {
    return this.parts.contents.get(tableId)?.load();
  }

  apply(action: Action): void {
    switch (action.kind) {
      case 'create':
        this.#create(action.object);
        break;
      case 'alter':
        this.#alter(action.object);
        break;
      case 'drop':
        this.#drop(action.id);
        break;
      case 'add_tablet':
        this.#addTablet(action.tablet);
        break;
      case 'remove_tablet':
        this.#removeTablet(action.tableId, action.tabletId);
        break;
      case 'set_deletion_vector':
        this.#setVector(action.vector);
        break;
    }
  }

  #create(object: CatalogObject): void {
    this.#setObject({ object, createdAt: this.#stamp, changedAt: this.#stamp });
    if (object.kind === 'table')
      this.#set({ contents: this.parts.contents.with(object.id, TableContents.empty(this.#stamp)) });
  }

  #alter(object: CatalogObject): void {
    const before = there(this.object(object.id), object.id);
    this.#unlist(before.object);
    this.#setObject({ object, createdAt: before.createdAt, changedAt: this.#stamp });
  }

  #drop(id: ObjectId): void {
    const { object } = there(this.object(id), id);
    this.#unlist(object);
    this.#set({ objects: this.parts.objects.without(id) });
    const contents = this.contents(id);
    if (contents === undefined) return;
    for (const tablet of contents.tablets()) this.#release(tablet.key, id);
    for (const { vector } of contents.vectors.values()) this.#release(vector.key, id);
    this.#set({ contents: this.parts.contents.without(id) });
  }

  #addTablet(tablet: Tablet): void {
    if (tablet.sharesKey === true) this.#share(tablet.key!);
    this.#setContents(tablet.tableId, (contents) => contents.withTablet(tablet, this.#stamp));
  }

  #removeTablet(tableId: ObjectId, tabletId: TabletId): void {
    this.#setContents(tableId, (contents) => {
      const tablet = there(contents.tablet(tabletId), tabletId);
      this.#release(tablet.key, tableId);
      this.#release(contents.vectors.get(tabletId)?.vector.key, tableId);
      return contents.withoutTablet(tablet, this.#stamp);
    });
  }

  #setVector(vector: DeletionVector): void {
    if (vector.sharesKey === true) this.#share(vector.key!);
    this.#setContents(vector.tableId, (contents) => {
      there(contents.tablet(vector.tabletId), vector.tabletId);
      this.#release(contents.vectors.get(vector.tabletId)?.vector.key, vector.tableId);
      return contents.withVector(vector, this.#stamp);
    });
  }

  #setContents(tableId: ObjectId, change: (contents: TableContents) => TableContents): void {
    const changed = change(there(this.contents(tableId), tableId));
    this.#set({ contents: this.parts.contents.with(tableId, changed) });
  }

  #setObject(state: ObjectState): void {
    const key = directoryOf(state.object);
    this.#set({
      objects: this.parts.objects.with(state.object.id, state),
      directories: this.parts.directories.with(key, this.directory(key).with(state.object)),
    });
  }

  #unlist(object: CatalogObject): void {
    const key = directoryOf(object);
    const rest = this.directory(key).without(object.name);
    const { directories } = this.parts;
    this.#set({ directories: rest.size === 0 ? directories.without(key) : directories.with(key, rest) });
  }

  #share(name: string): void {
    this.#set({ shares: this.parts.shares.with(name, (this.parts.shares.get(name) ?? 1) + 1) });
  }

  /** The object has one user less; without any it is garbage. */
  #release(name: string | undefined, tableId: ObjectId): void {
    if (name === undefined) return;
    const users = this.parts.shares.get(name);
    if (users !== undefined) {
      const { shares } = this.parts;
      this.#set({ shares: users === 2 ? shares.without(name) : shares.with(name, users - 1) });
      return;
    }
    const tombstone = {
      name,
      tableId,
      removedAtMs: this.#timeMs,
      version: this.#stamp,
      collecting: false,
    };
    this.#set({ tombstones: this.parts.tombstones.with(name, tombstone) });
  }

  #set(changes: Partial<StateParts>): void {
    this.parts = { ...this.parts, ...changes };
  }
}

function there<T>(found: T | undefined, id: string): T {
  if (found === undefined) throw new Error(`The catalog has no ${id}`);
  return found;
}
