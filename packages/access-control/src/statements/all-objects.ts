import type { CatalogObject, Snapshot } from '@tessera/catalog';

/** Every object of the catalog, each before the objects that it contains. */
export function* allObjects(snapshot: Snapshot): Generator<CatalogObject> {
  yield* snapshot.principals();
  for (const database of snapshot.databases()) {
    yield database;
    yield* snapshot.locations(database.id);
    for (const schema of snapshot.schemas(database.id)) {
      yield schema;
      yield* snapshot.relations(schema.id);
      yield* snapshot.sequences(schema.id);
    }
  }
}

/** The objects that a user or role owns, except itself. */
export function* ownedBy(snapshot: Snapshot, owner: string): Generator<CatalogObject> {
  for (const object of allObjects(snapshot)) {
    const isItself = (object.kind === 'user' || object.kind === 'role') && object.name === owner;
    if (object.owner === owner && !isItself) yield object;
  }
}
