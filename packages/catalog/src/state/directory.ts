import type { CatalogObject, ObjectId, RelationObject, SequenceObject } from '../model.ts';
import { PersistentMap } from '../persistent/persistent-map.ts';

/** The objects of one namespace, by name. Immutable. */
export class Directory {
  readonly #byName: PersistentMap<CatalogObject>;
  #sorted: readonly CatalogObject[] | undefined;
  #relations: readonly RelationObject[] | undefined;

  private constructor(byName: PersistentMap<CatalogObject>) {
    this.#byName = byName;
  }

  static readonly empty = new Directory(PersistentMap.empty());

  static from(objects: readonly CatalogObject[]): Directory {
    return new Directory(PersistentMap.from(objects.map((object) => [object.name, object] as const)));
  }

  get size(): number {
    return this.#byName.size;
  }

  get(name: string): CatalogObject | undefined {
    return this.#byName.get(name);
  }

  /** Sorted by name. */
  list(): readonly CatalogObject[] {
    this.#sorted ??= [...this.#byName.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
    return this.#sorted;
  }

  /** Lists the relations of a schema without its sequences, sorted by name. */
  relations(): readonly RelationObject[] {
    this.#relations ??= this.list().filter(({ kind }) => kind !== 'sequence') as readonly RelationObject[];
    return this.#relations;
  }

  /** Lists the sequences of a schema, sorted by name. */
  sequences(): readonly SequenceObject[] {
    return this.list().filter((object) => object.kind === 'sequence');
  }

  with(object: CatalogObject): Directory {
    return new Directory(this.#byName.with(object.name, object));
  }

  without(name: string): Directory {
    return new Directory(this.#byName.without(name));
  }
}

export const DATABASES = 'databases';
export const PRINCIPALS = 'principals';
export const schemasOf = (databaseId: ObjectId): string => `schemas ${databaseId}`;
export const relationsOf = (schemaId: ObjectId): string => `relations ${schemaId}`;
export const locationsOf = (databaseId: ObjectId): string => `locations ${databaseId}`;

/** The namespace that holds the object's name. */
export function directoryOf(object: CatalogObject): string {
  switch (object.kind) {
    case 'database':
      return DATABASES;
    case 'user':
    case 'role':
      return PRINCIPALS;
    case 'schema':
      return schemasOf(object.databaseId);
    case 'location':
      return locationsOf(object.databaseId);
    default:
      return relationsOf(object.schemaId);
  }
}

/** The object that holds this one; databases, users and roles have none. */
export function parentOf(object: CatalogObject): ObjectId | undefined {
  switch (object.kind) {
    case 'database':
    case 'user':
    case 'role':
      return undefined;
    case 'schema':
    case 'location':
      return object.databaseId;
    default:
      return object.schemaId;
  }
}
