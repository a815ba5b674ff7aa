import type { Action, ObjectId, SchemaObject, Snapshot, TabletId } from '@tessera/catalog';
import { TEMPORARY_SCHEMA } from '@tessera/catalog';
import type { TemporaryTables } from './temporary-tables.ts';

/** A cache keyed by the snapshot of the catalog and the schema name of the session. */
const known = new WeakMap<Snapshot, Map<string, Snapshot>>();

/**
 * The catalog as one session sees it: `pg_temp` is the schema of its own temporary tables, and those of other
 * sessions have no name.
 * @param session undefined for a client without a session
 */
export function inSession(snapshot: Snapshot, session: TemporaryTables | undefined): Snapshot {
  let views = known.get(snapshot);
  if (views === undefined) {
    views = new Map();
    // Most catalogs have no temporary table, so they look the same to every session.
    if (!hasTemporarySchema(snapshot)) views.set(EVERYBODY, snapshot);
    known.set(snapshot, views);
  }
  const own = session?.schemaName ?? '';
  const found = views.get(EVERYBODY) ?? views.get(own) ?? new SessionSnapshot(snapshot, own);
  views.set(own, found);
  return found;
}

/** A key that is not the name of any schema. */
const EVERYBODY = '*';

/** The catalog with the temporary tables of all sessions. */
export const ofAllSessions = (snapshot: Snapshot): Snapshot =>
  snapshot instanceof SessionSnapshot ? snapshot.all : snapshot;

const hasTemporarySchema = (snapshot: Snapshot): boolean =>
  snapshot.databases().some(({ id }) => snapshot.schemas(id).some(isTemporary));

const isTemporary = ({ temporaryOf }: SchemaObject): boolean => temporaryOf !== undefined;

class SessionSnapshot implements Snapshot {
  readonly all: Snapshot;
  readonly #own: string;

  constructor(all: Snapshot, own: string) {
    this.all = all;
    this.#own = own;
  }

  get version(): number {
    return this.all.version;
  }

  schema(databaseId: ObjectId, name: string): SchemaObject | undefined {
    const found = this.all.schema(databaseId, name === TEMPORARY_SCHEMA ? this.#own : name);
    return found !== undefined && this.#isSeen(found) ? found : undefined;
  }

  schemas(databaseId: ObjectId): readonly SchemaObject[] {
    return this.all.schemas(databaseId).filter((schema) => this.#isSeen(schema));
  }

  withActions(actions: readonly Action[]): Snapshot {
    return new SessionSnapshot(this.all.withActions(actions), this.#own);
  }

  #isSeen(schema: SchemaObject): boolean {
    return schema.name === this.#own || !isTemporary(schema);
  }

  object(id: ObjectId) {
    return this.all.object(id);
  }

  database(name: string) {
    return this.all.database(name);
  }

  relation(schemaId: ObjectId, name: string) {
    return this.all.relation(schemaId, name);
  }

  sequence(schemaId: ObjectId, name: string) {
    return this.all.sequence(schemaId, name);
  }

  location(databaseId: ObjectId, name: string) {
    return this.all.location(databaseId, name);
  }

  principal(name: string) {
    return this.all.principal(name);
  }

  principals() {
    return this.all.principals();
  }

  databases() {
    return this.all.databases();
  }

  relations(schemaId: ObjectId) {
    return this.all.relations(schemaId);
  }

  sequences(schemaId: ObjectId) {
    return this.all.sequences(schemaId);
  }

  locations(databaseId: ObjectId) {
    return this.all.locations(databaseId);
  }

  tablets(tableId: ObjectId) {
    return this.all.tablets(tableId);
  }

  tablet(tableId: ObjectId, tabletId: TabletId) {
    return this.all.tablet(tableId, tabletId);
  }

  deletionVector(tableId: ObjectId, tabletId: TabletId) {
    return this.all.deletionVector(tableId, tabletId);
  }

  contentsVersion(tableId: ObjectId) {
    return this.all.contentsVersion(tableId);
  }

  totals(tableId: ObjectId) {
    return this.all.totals(tableId);
  }

  committedVersion(idempotencyKey: string) {
    return this.all.committedVersion(idempotencyKey);
  }
}
