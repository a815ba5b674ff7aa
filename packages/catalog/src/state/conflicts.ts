import { TesseraError } from '@tessera/common';
import type { Action } from '../actions.ts';
import type { CatalogObject, DeletionVector, ObjectId, TableObject, Tablet, TabletId } from '../model.ts';
import type { CatalogDraft } from './catalog-draft.ts';
import { directoryOf, parentOf, relationsOf } from './directory.ts';
import { ulidTimeOf } from './garbage.ts';

/**
 * Applies the actions of one transaction to a draft, each after asking whether it may: the conflict rules. What is not in
 * conflict with the commits since `readVersion` is applied on top of them, whatever they did.
 */
export class TransactionCheck {
  readonly #draft: CatalogDraft;
  readonly #readVersion: number;
  /** Objects and tablets that the transaction itself changed: that is no conflict. */
  readonly #own = new Set<string>();
  /** The versions of the contents of altered and expected tables before the transaction itself changed them. */
  readonly #contentsBefore = new Map<ObjectId, number>();
  readonly #dropped = new Map<ObjectId, CatalogObject>();

  constructor(draft: CatalogDraft, readVersion: number) {
    this.#draft = draft;
    this.#readVersion = readVersion;
  }

  /** @throws TesseraError of the first conflict; the draft is then of no use */
  run(actions: readonly Action[]): void {
    for (const action of actions) {
      if (action.kind !== 'alter' && action.kind !== 'expect_same_rows') continue;
      const id = subjectOf(action) as ObjectId;
      this.#contentsBefore.set(id, this.#draft.contents(id)?.version ?? 0);
    }
    for (const action of actions) {
      this.#check(action);
      this.#draft.apply(action);
      if (action.kind !== 'expect_same_rows') this.#own.add(subjectOf(action));
    }
    if (this.#dropped.size > 0) this.#checkNothingNeeds(this.#dropped);
  }

  #check(action: Action): void {
    switch (action.kind) {
      case 'create':
        this.#checkCreate(action.object);
        break;
      case 'alter':
        this.#checkAlter(action.object);
        break;
      case 'drop':
        this.#checkDrop(action.id);
        break;
      case 'add_tablet':
        this.#checkAddTablet(action.tablet);
        break;
      case 'remove_tablet':
        this.#checkTablet(action.tableId, action.tabletId);
        break;
      case 'set_deletion_vector':
        this.#checkVector(action.vector, action.replaces);
        break;
      case 'expect_same_rows':
        this.#checkSameRows(action.tableId);
        break;
    }
  }

  #checkCreate(object: CatalogObject): void {
    if (this.#draft.object(object.id) !== undefined) throw duplicate(object);
    this.#checkPlace(object);
  }

  #checkAlter(object: CatalogObject): void {
    const before = this.#checkUnchanged(object.id);
    if (before.kind !== object.kind) throw conflict(`${described(before)} is not a ${words(object.kind)}`);
    const moved = directoryOf(before) !== directoryOf(object) || before.name !== object.name;
    if (moved) this.#checkPlace(object);
    else this.#checkReferences(object);
    if (before.name !== object.name) this.#checkOwnsNothingNew(before);
    if (moved || columnsOf(before) !== columnsOf(object)) this.#checkNoNewViews(object);
    if (object.kind === 'table') this.#checkRowsHaveValues(object);
    if (object.kind === 'table' && before.kind === 'table' && dependsOnRows(before, object)) {
      if (this.#contentsBefore.get(object.id)! > this.#readVersion)
        throw conflict(
          `Another transaction changed rows of ${described(object)} while its definition was altered`,
        );
    }
  }

  /** Views are kept as text: one that another transaction made of the object would name what is called otherwise now. */
  #checkNoNewViews(altered: CatalogObject): void {
    for (const { object, changedAt } of this.#draft.objects()) {
      if (changedAt <= this.#readVersion || this.#own.has(object.id) || object.kind !== 'view') continue;
      if (object.references?.includes(altered.id))
        throw conflict(`Another transaction created ${described(object)}, which needs ${described(altered)}`);
    }
  }

  /** Owners stand in objects by name: one that another transaction made would have an owner of the old name. */
  #checkOwnsNothingNew(renamed: CatalogObject): void {
    if (!isPrincipal(renamed)) return;
    for (const { object, changedAt } of this.#draft.objects()) {
      if (changedAt <= this.#readVersion || this.#own.has(object.id) || object.owner !== renamed.name)
        continue;
      throw conflict(
        `Another transaction created or altered ${described(object)}, which ${described(renamed)} owns`,
      );
    }
  }

  /** A column that is NOT NULL and has no value for older rows can be added only while there are none. */
  #checkRowsHaveValues(table: TableObject): void {
    const strict = table.columns.filter(
      ({ nullable, initialSql, since }) => !nullable && initialSql === undefined && since > 1,
    );
    if (strict.length === 0) return;
    const versions = this.#draft
      .contents(table.id)!
      .tablets()
      .map((tablet) => tablet.schemaVersion);
    const missing = strict.find(({ since }) => versions.some((version) => version < since));
    if (missing !== undefined)
      throw conflict(
        `Another transaction inserted rows without column "${missing.name}" into ${described(table)}`,
      );
  }

  #checkDrop(id: ObjectId): void {
    this.#dropped.set(id, this.#checkUnchanged(id));
  }

  /** There, and not altered by another transaction since. */
  #checkUnchanged(id: ObjectId): CatalogObject {
    const state = this.#draft.object(id);
    if (state === undefined) throw this.#missing('Object', id);
    if (state.changedAt > this.#readVersion && !this.#own.has(id))
      throw conflict(`${described(state.object)} was altered by another transaction`);
    return state.object;
  }

  /** Its parent exists and has no other object with this name. */
  #checkPlace(object: CatalogObject): void {
    const parentId = parentOf(object);
    if (parentId !== undefined) {
      const parent = this.#draft.object(parentId);
      const kind = object.kind === 'schema' || object.kind === 'location' ? 'database' : 'schema';
      if (parent?.object.kind !== kind) throw this.#missing(words(kind, true), parentId);
    }
    const taken = this.#draft.directory(directoryOf(object)).get(object.name);
    if (taken !== undefined && taken.id !== object.id) throw duplicate(taken);
    this.#checkReferences(object);
  }

  /**
   * Everything that the object names besides its parent must exist, and the name of an index must be unique in its
   * schema.
   */
  #checkReferences(object: CatalogObject): void {
    for (const id of neededBy(object)) {
      const needed = this.#draft.object(id);
      if (needed === undefined) throw this.#missing('Object', id);
      if (object.kind === 'view' && id !== object.schemaId) this.#checkUnchanged(id);
    }
    if (object.kind !== 'table' || object.indexes.length === 0) return;
    const before = this.#draft.object(object.id)?.object;
    const had = before?.kind === 'table' ? before.indexes.map((index) => index.name) : [];
    const added = object.indexes.map((index) => index.name).filter((name) => !had.includes(name));
    if (added.length === 0) return;
    for (const other of this.#draft.directory(relationsOf(object.schemaId)).list()) {
      if (other.kind !== 'table' || other.id === object.id) continue;
      const taken = other.indexes.find((index) => added.includes(index.name));
      if (taken !== undefined) throw TesseraError.of('DUPLICATE_OBJECT', { what: 'Index', name: taken.name });
    }
  }

  #checkAddTablet(tablet: Tablet): void {
    if (tablet.partialOf !== undefined) {
      this.#checkAddPartial(tablet, tablet.partialOf.tableId);
      return;
    }
    const state = this.#draft.object(tablet.tableId);
    if (state === undefined) throw this.#missing('Table', tablet.tableId);
    const table = state.object;
    if (table.kind !== 'table') throw conflict(`${described(table)} has no tablets`);
    // A clone shares tablets that may be from before its columns; nobody else knows of it yet. Earlier statements of an
    // open transaction changed what has a negative version.
    const isOwn = this.#own.has(table.id) || state.changedAt < 0;
    const isClone = isOwn && tablet.schemaVersion < table.schemaVersion;
    if (table.schemaVersion !== tablet.schemaVersion && !isClone)
      throw conflict(`The columns of ${described(table)} were altered by another transaction`);
    if (this.#draft.contents(table.id)!.tablet(tablet.id) !== undefined)
      throw conflict(`Tablet ${tablet.id} is in ${described(table)} already`);
    this.#checkStored(tablet.key, tablet.sharesKey === true);
  }

  /** The index is there. Partial rows that do not fit their tablet any more are no conflict: the draft drops them. */
  #checkAddPartial(partial: Tablet, tableId: ObjectId): void {
    const table = this.#draft.object(tableId)?.object;
    if (table === undefined) throw this.#missing('Table', tableId);
    const isKept =
      table.kind === 'table' && table.indexes.some(({ partials }) => partials?.id === partial.tableId);
    if (!isKept) throw conflict(`An index of ${described(table)} was dropped by another transaction`);
    if (this.#draft.contents(partial.tableId)!.tablet(partial.id) !== undefined)
      throw conflict(`Tablet ${partial.id} is in an index of ${described(table)} already`);
    this.#checkStored(partial.key, partial.sharesKey === true);
  }

  /** There, and no rows of it deleted by another transaction since. */
  #checkTablet(tableId: ObjectId, tabletId: TabletId): Tablet {
    const contents = this.#draft.contents(tableId);
    const tablet = contents?.tablet(tabletId);
    const table = this.#draft.object(tablet?.partialOf?.tableId ?? tableId)?.object;
    if (table === undefined) throw this.#missing('Table', tableId);
    if (contents === undefined || tablet === undefined) throw overtaken(table);
    const version = contents.vectors.get(tabletId)?.version ?? 0;
    if (version > this.#readVersion && !this.#own.has(tabletSubject(tableId, tabletId)))
      throw overtaken(table);
    return tablet;
  }

  #checkVector(vector: DeletionVector, replaces: number): void {
    const tablet = this.#checkTablet(vector.tableId, vector.tabletId);
    const rows = this.#draft.contents(vector.tableId)!.vectors.get(vector.tabletId)?.vector.rows ?? 0;
    if (rows !== replaces) throw overtaken(this.#draft.object(vector.tableId)!.object);
    if (vector.rows < rows || vector.rows > tablet.rows)
      throw conflict(
        `A deletion vector of ${vector.rows} rows for tablet ${tablet.id} of ${tablet.rows} rows`,
      );
    this.#checkStored(vector.key, vector.sharesKey === true);
  }

  #checkSameRows(tableId: ObjectId): void {
    const table = this.#draft.object(tableId);
    if (table === undefined) throw this.#missing('Table', tableId);
    if (this.#contentsBefore.get(tableId)! > this.#readVersion) throw overtaken(table.object);
  }

  /** The object is not garbage, nor may the collector have taken it for an orphan. */
  #checkStored(name: string | undefined, shared: boolean): void {
    if (name === undefined) return;
    if (this.#draft.isGarbage(name)) throw conflict(`${name} is no longer kept`);
    const time = shared ? undefined : ulidTimeOf(name);
    if (time !== undefined && time < this.#draft.orphansBeforeMs)
      throw conflict(`${name} is too old to be committed: it was collected as an orphan`);
  }

  /** No remaining object may be inside a dropped object, refer to it or be owned by it. */
  #checkNothingNeeds(dropped: ReadonlyMap<ObjectId, CatalogObject>): void {
    const owners = new Map([...dropped.values()].filter(isPrincipal).map((owner) => [owner.name, owner]));
    for (const { object, changedAt } of this.#draft.objects()) {
      const needed = neededBy(object).find((id) => dropped.has(id));
      const gone = needed === undefined ? owners.get(object.owner) : dropped.get(needed);
      if (gone === undefined) continue;
      if (changedAt > this.#readVersion && !this.#own.has(object.id))
        throw conflict(
          `Another transaction created or altered ${described(object)}, which needs ${described(gone)}`,
        );
      throw TesseraError.of('DEPENDENT_OBJECTS', {
        message: `${described(gone, true)} cannot be dropped: ${described(object)} needs it`,
      });
    }
  }

  /** Gone since the transaction read it; without commits in between it never was there. */
  #missing(what: string, id: string): TesseraError {
    return this.#draft.version > this.#readVersion
      ? conflict(`${what} ${id} was dropped by another transaction`)
      : TesseraError.of('UNDEFINED_OBJECT', { what, name: id });
  }
}

/** The columns that views may name. */
const columnsOf = (object: CatalogObject): string =>
  'columns' in object ? JSON.stringify(object.columns.map(({ id, name, type }) => [id, name, type])) : '';

/**
 * Whether the rows decided if the table may be altered so, or were rewritten for it: a column became NOT NULL or took the
 * place of one of another type, or a constraint was added. Rows that another transaction wrote meanwhile were not looked at.
 */
function dependsOnRows(before: TableObject, after: TableObject): boolean {
  const had = new Map(before.columns.map((column) => [column.name, column]));
  const known = new Set(before.constraints?.map(({ name }) => name));
  return (
    (after.constraints ?? []).some(({ name }) => !known.has(name)) ||
    after.columns.some(({ id, name, nullable }) => {
      const old = had.get(name);
      return old !== undefined && (old.id !== id || (old.nullable && !nullable));
    })
  );
}

/** The objects that an object depends on. */
function neededBy(object: CatalogObject): readonly ObjectId[] {
  const parent = parentOf(object);
  if (parent === undefined) return [];
  const { locationId } = object.kind === 'table' || object.kind === 'external_table' ? object : {};
  const location = locationId === undefined ? [] : [locationId];
  if (object.kind === 'table') return [parent, ...location, ...referencedTables(object)];
  if (object.kind === 'view') return [parent, ...(object.references ?? [])];
  return [parent, ...location];
}

const referencedTables = ({ id, constraints = [] }: TableObject): readonly ObjectId[] =>
  constraints.flatMap((c) => (c.kind === 'foreign_key' && c.table !== id ? [c.table] : []));

const isPrincipal = ({ kind }: CatalogObject): boolean => kind === 'user' || kind === 'role';

/** Two tables may have tablets of one id: a change of one is no change of the other. */
const tabletSubject = (tableId: ObjectId, tabletId: TabletId): string => `${tableId} ${tabletId}`;

function subjectOf(action: Action): string {
  switch (action.kind) {
    case 'create':
    case 'alter':
      return action.object.id;
    case 'drop':
      return action.id;
    case 'add_tablet':
      return tabletSubject(action.tablet.tableId, action.tablet.id);
    case 'remove_tablet':
      return tabletSubject(action.tableId, action.tabletId);
    case 'set_deletion_vector':
      return tabletSubject(action.vector.tableId, action.vector.tabletId);
    case 'expect_same_rows':
      return action.tableId;
  }
}

const conflict = (message: string) => TesseraError.of('TRANSACTION_CONFLICT', { message });

const overtaken = (table: CatalogObject) =>
  conflict(`Rows of ${described(table)} were changed by another transaction at the same time`);

const duplicate = (object: CatalogObject) =>
  TesseraError.of('DUPLICATE_OBJECT', { what: words(object.kind, true), name: object.name });

function described(object: CatalogObject, first = false): string {
  return `${words(object.kind, first)} "${object.name}"`;
}

function words(kind: CatalogObject['kind'], first = false): string {
  const text = kind.replace('_', ' ');
  return first ? text[0]!.toUpperCase() + text.slice(1) : text;
}
