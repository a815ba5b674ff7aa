import type { Action } from '../actions.ts';
import type { CatalogObject, DeletionVector, ObjectId, PartialOf, Tablet, TabletId } from '../model.ts';
import { Directory, directoryOf } from './directory.ts';
import type { ObjectState, StateParts } from './state-parts.ts';
import { TableContents } from './table-contents.ts';

/**
 * A state being changed. Actions are applied without asking whether they conflict with anybody; one that makes no sense
 * at all (a tablet that is not there) throws.
 */
export class CatalogDraft {
  readonly #base: StateParts;
  /** The mark of changes made by this draft. */
  readonly #stamp: number;
  readonly #timeMs: number;
  #objects: StateParts['objects'];
  #directories: StateParts['directories'];
  #contents: StateParts['contents'];
  #tombstones: StateParts['tombstones'];
  #shares: StateParts['shares'];
  /** Tables whose contents changed, not in `#contents` yet: a transaction changes many tablets of few tables. */
  readonly #changed = new Map<ObjectId, TableContents>();

  /** `stamp`: the version that the changes will belong to. `timeMs`: when objects of the store became garbage. */
  constructor(base: StateParts, stamp: number, timeMs: number) {
    this.#base = base;
    this.#stamp = stamp;
    this.#timeMs = timeMs;
    this.#objects = base.objects;
    this.#directories = base.directories;
    this.#contents = base.contents;
    this.#tombstones = base.tombstones;
    this.#shares = base.shares;
  }

  /** The version of the state that the draft started from. */
  get version(): number {
    return this.#base.version;
  }

  get orphansBeforeMs(): number {
    return this.#base.orphansBeforeMs;
  }

  objects(): Iterable<ObjectState> {
    return this.#objects.values();
  }

  object(id: ObjectId): ObjectState | undefined {
    return this.#objects.get(id);
  }

  directory(key: string): Directory {
    return this.#directories.get(key) ?? Directory.empty;
  }

  contents(tableId: ObjectId): TableContents | undefined {
    return this.#changed.get(tableId) ?? this.#contents.get(tableId)?.load();
  }

  isGarbage(name: string): boolean {
    return this.#tombstones.has(name);
  }

  /** The state with all that was applied. */
  finish(): StateParts {
    for (const [tableId, contents] of this.#changed) this.#contents = this.#contents.with(tableId, contents);
    this.#changed.clear();
    return {
      ...this.#base,
      objects: this.#objects,
      directories: this.#directories,
      contents: this.#contents,
      tombstones: this.#tombstones,
      shares: this.#shares,
    };
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
      case 'expect_same_rows':
        break;
    }
  }

  #create(object: CatalogObject): void {
    this.#setObject({ object, createdAt: this.#stamp, changedAt: this.#stamp });
    if (object.kind !== 'table') return;
    for (const id of [object.id, ...partialsOf(object)])
      this.#changed.set(id, TableContents.empty(this.#stamp));
  }

  #alter(object: CatalogObject): void {
    const before = there(this.object(object.id), object.id);
    this.#unlist(before.object);
    this.#setObject({ object, createdAt: before.createdAt, changedAt: this.#stamp });
    const [had, has] = [partialsOf(before.object), partialsOf(object)];
    for (const id of had) if (!has.includes(id)) this.#dropContents(id);
    for (const id of has) if (!had.includes(id)) this.#changed.set(id, TableContents.empty(this.#stamp));
  }

  #drop(id: ObjectId): void {
    const { object } = there(this.object(id), id);
    this.#unlist(object);
    this.#objects = this.#objects.without(id);
    for (const one of [id, ...partialsOf(object)]) this.#dropContents(one);
  }

  #dropContents(id: ObjectId): void {
    const contents = this.contents(id);
    if (contents === undefined) return;
    for (const tablet of contents.tablets()) this.#release(tablet.key, id);
    for (const { vector } of contents.vectors.values()) this.#release(vector.key, id);
    this.#changed.delete(id);
    this.#contents = this.#contents.without(id);
  }

  #addTablet(tablet: Tablet): void {
    if (tablet.sharesKey === true) this.#share(tablet.key!);
    there(this.contents(tablet.tableId), tablet.tableId);
    if (tablet.partialOf !== undefined && !this.#isValid(tablet.partialOf)) {
      // Another transaction removed the summarised tablet, or deleted rows of it.
      this.#release(tablet.key, tablet.tableId);
      return;
    }
    const replaced = tablet.partialOf && this.#partial(tablet.tableId, tablet.partialOf.tabletId);
    if (replaced !== undefined) this.#removeTablet(tablet.tableId, replaced.id);
    const rest = there(this.contents(tablet.tableId), tablet.tableId);
    this.#changed.set(tablet.tableId, rest.withTablet(tablet, this.#stamp));
  }

  #isValid({ tableId, tabletId, deletedRows }: PartialOf): boolean {
    const contents = this.contents(tableId);
    if (contents?.tablet(tabletId) === undefined) return false;
    return deletedRows === undefined || (contents.vectors.get(tabletId)?.vector.rows ?? 0) === deletedRows;
  }

  /** Removes what indexes keep of a tablet that is removed or, with `deletedRows`, has another number of deleted rows. */
  #removePartials(tableId: ObjectId, tabletId: TabletId, deletedRows?: number): void {
    const table = this.object(tableId)?.object;
    for (const id of table === undefined ? [] : partialsOf(table)) {
      const partial = this.#partial(id, tabletId);
      if (partial === undefined) continue;
      if (deletedRows !== undefined && partial.partialOf!.deletedRows === undefined) continue;
      this.#removeTablet(id, partial.id);
    }
  }

  #partial(partialsId: ObjectId, tabletId: TabletId): Tablet | undefined {
    return this.contents(partialsId)
      ?.tablets()
      .find(({ partialOf }) => partialOf?.tabletId === tabletId);
  }

  #removeTablet(tableId: ObjectId, tabletId: TabletId): void {
    const contents = there(this.contents(tableId), tableId);
    const tablet = there(contents.tablet(tabletId), tabletId);
    this.#release(tablet.key, tableId);
    this.#release(contents.vectors.get(tabletId)?.vector.key, tableId);
    this.#changed.set(tableId, contents.withoutTablet(tablet, this.#stamp));
    this.#removePartials(tableId, tabletId);
  }

  #setVector(vector: DeletionVector): void {
    if (vector.sharesKey === true) this.#share(vector.key!);
    const contents = there(this.contents(vector.tableId), vector.tableId);
    there(contents.tablet(vector.tabletId), vector.tabletId);
    this.#release(contents.vectors.get(vector.tabletId)?.vector.key, vector.tableId);
    this.#changed.set(vector.tableId, contents.withVector(vector, this.#stamp));
    this.#removePartials(vector.tableId, vector.tabletId, vector.rows);
  }

  #setObject(state: ObjectState): void {
    const key = directoryOf(state.object);
    this.#objects = this.#objects.with(state.object.id, state);
    this.#directories = this.#directories.with(key, this.directory(key).with(state.object));
  }

  #unlist(object: CatalogObject): void {
    const key = directoryOf(object);
    const rest = this.directory(key).without(object.name);
    this.#directories = rest.size === 0 ? this.#directories.without(key) : this.#directories.with(key, rest);
  }

  #share(name: string): void {
    this.#shares = this.#shares.with(name, (this.#shares.get(name) ?? 1) + 1);
  }

  /** The object has one user less; without any it is garbage. */
  #release(name: string | undefined, tableId: ObjectId): void {
    if (name === undefined) return;
    const users = this.#shares.get(name);
    if (users !== undefined) {
      this.#shares = users === 2 ? this.#shares.without(name) : this.#shares.with(name, users - 1);
      return;
    }
    this.#tombstones = this.#tombstones.with(name, {
      name,
      tableId,
      removedAtMs: this.#timeMs,
      version: this.#stamp,
      collecting: false,
    });
  }
}

/** The ids of the contents that the indexes of a table have. */
const partialsOf = (object: CatalogObject): readonly ObjectId[] =>
  object.kind === 'table' ? object.indexes.flatMap(({ partials }) => partials?.id ?? []) : [];

function there<T>(found: T | undefined, id: string): T {
  if (found === undefined) throw new Error(`The catalog has no ${id}`);
  return found;
}
