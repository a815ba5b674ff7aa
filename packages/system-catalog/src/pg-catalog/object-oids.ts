import type { ObjectId, Snapshot } from '@tessera/catalog';

/** OIDs below belong to what every database has. */
const FIRST_USER_OID = 16_384;
const LAST_OID = 0x7fff_ffff;

/**
 * OIDs of what the catalog holds. They follow from the ids of the objects, so that an object keeps its OID for as long as
 * nothing that is older takes it: of two that would have the same, the older one has it and the other the next that is free.
 * They fit an int4, which some clients read them as.
 */
export class ObjectOids {
  readonly #oids = new Map<string, number>();
  readonly #taken = new Set<number>();

  /** @param keys of all objects, the oldest first */
  constructor(keys: Iterable<string>) {
    for (const key of keys) this.#add(key);
  }

  /** 0 for what is not there. */
  of(key: string): number {
    return this.#oids.get(key) ?? 0;
  }

  /** Of a name that is not in the catalog; the same as long as this object lives. */
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

/** FNV-1a, 32 bits, with a final mix: ULIDs of one moment differ at their end only. */
function hashOf(key: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < key.length; i += 1) hash = Math.imul(hash ^ key.charCodeAt(i), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

/** What an index of a table is known by. */
export const indexKey = (table: ObjectId, name: string): string => `${table}/index/${name}`;
/** What a constraint of a table is known by. */
export const constraintKey = (table: ObjectId, name: string): string => `${table}/constraint/${name}`;
/** What the index is known by that PostgreSQL has behind a PRIMARY KEY or UNIQUE constraint. */
export const keyIndexKey = (table: ObjectId, name: string): string => `${table}/key/${name}`;
/** What the default of a column is known by. */
export const defaultKey = (table: ObjectId, column: number): string => `${table}/default/${column}`;

const KNOWN = new WeakMap<Snapshot, Map<string, ObjectOids>>();

/** OIDs of the databases, users and roles of a snapshot, and of everything in one of its databases. */
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
