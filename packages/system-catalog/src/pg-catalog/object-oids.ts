import type { ObjectId, Snapshot } from '@tessera/catalog';

/** Smaller OIDs belong to system objects that every database has. */
const FIRST_USER_OID = 16_384;
const LAST_OID = 0x7fff_ffff;

/**
 * OIDs of catalog objects, derived from their ids. An object keeps its OID as long as no older object claims
 * it: if two would have the same OID, the older one has it and the other one the next free OID. OIDs fit into
 * an int4, which some clients use.
 */
export class ObjectOids {
  readonly #oids = new Map<string, number>();
  readonly #taken = new Set<number>();

  /** @param keys the keys of all objects, oldest first */
  constructor(keys: Iterable<string>) {
    for (const key of keys) this.#add(key);
  }

  /** Returns 0 for an unknown key. */
  of(key: string): number {
    return this.#oids.get(key) ?? 0;
  }

  /** The OID of a name that is not in the catalog; stable for the lifetime of this instance. */
  ofName(name: string): number {
    const key = `name/${name}`;
    return this.#oids.get(key) ?? this.#add(key);
  }

  #add(key: string): number {
    let oid = FIRST_USER_OID + (hashOf(key) % (LAST_OID - FIRST_USER_OID));
    while (this.#taken.has(oid)) oid = oid === LAST_OID ? FIRST_USER_OID : oid + 1;
    this.#taken.add(oid);
    this.#oids.set(key, oid);
    return oid;
  }
}

/** FNV-1a, 32 bits, with a final mix: ULIDs of the same moment only differ at their end. */
function hashOf(key: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < key.length; i += 1) hash = Math.imul(hash ^ key.charCodeAt(i), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

/** The key of an index of a table. */
export const indexKey = (table: ObjectId, name: string): string => `${table}/index/${name}`;
/** The key of a constraint of a table. */
export const constraintKey = (table: ObjectId, name: string): string => `${table}/constraint/${name}`;
/** The key of the index that PostgreSQL shows for a PRIMARY KEY or UNIQUE constraint. */
export const keyIndexKey = (table: ObjectId, name: string): string => `${table}/key/${name}`;
/** The key of the composite type that the rows of a relation have. */
export const rowTypeKey = (relation: ObjectId): string => `${relation}/row`;
/** The key of a column's default. */
export const defaultKey = (table: ObjectId, column: number): string => `${table}/default/${column}`;

const KNOWN = new WeakMap<Snapshot, Map<string, ObjectOids>>();

/** The OIDs of the databases, users and roles of a snapshot, and of everything in one of its databases. */
export function objectOids(snapshot: Snapshot, database: string): ObjectOids {
  const ofSnapshot = KNOWN.get(snapshot) ?? new Map<string, ObjectOids>();
  KNOWN.set(snapshot, ofSnapshot);
  const known = ofSnapshot.get(database) ?? new ObjectOids(keysOf(snapshot, database));
  ofSnapshot.set(database, known);
  return known;
}

function* keysOf(snapshot: Snapshot, database: string): Generator<string> {
  const shared = [...snapshot.databases(), ...snapshot.principals()].map(({ id }) => id);
  yield* shared.sort();
  const owner = snapshot.database(database);
  if (owner === undefined) return;
  const schemas = snapshot.schemas(owner.id);
  const relations = schemas.flatMap((schema) => snapshot.relations(schema.id));
  const sequences = schemas.flatMap((schema) => snapshot.sequences(schema.id));
  yield* [...schemas, ...relations, ...sequences].map(({ id }) => id).sort();
  for (const relation of relations) {
    yield rowTypeKey(relation.id);
    if (relation.kind === 'view') continue;
    for (const column of relation.columns)
      if (column.defaultSql !== undefined) yield defaultKey(relation.id, column.id);
    if (relation.kind !== 'table') continue;
    if (relation.primaryIndex.length > 0) yield indexKey(relation.id, '');
    for (const { name } of relation.indexes) yield indexKey(relation.id, name);
    for (const { name, kind } of relation.constraints ?? []) {
      yield constraintKey(relation.id, name);
      if (kind === 'primary_key' || kind === 'unique') yield keyIndexKey(relation.id, name);
    }
  }
}
