import type { Action } from '../actions.ts';
import type {
  CatalogObject,
  DatabaseObject,
  DeletionVector,
  LocationObject,
  ObjectId,
  PrincipalObject,
  RelationObject,
  SchemaObject,
  SequenceObject,
  Tablet,
  TabletId,
} from '../model.ts';
import { PersistentMap } from '../persistent/persistent-map.ts';
import { BOOTSTRAP_OBJECTS } from './bootstrap.ts';
import { CatalogDraft } from './catalog-draft.ts';
import { TransactionCheck } from './conflicts.ts';
import {
  DATABASES,
  Directory,
  directoryOf,
  locationsOf,
  PRINCIPALS,
  relationsOf,
  schemasOf,
} from './directory.ts';
import type { Tombstone } from './garbage.ts';
import type { Snapshot } from './snapshot.ts';
import type { StateParts } from './state-parts.ts';
import { TableContents, type TableTotals } from './table-contents.ts';
import { TransactionResults } from './transaction-results.ts';

let tentativeStates = 0;

/**
 * The state as a transaction sees it that did the actions and is not committed. Tables it changed get a contents version
 * that nothing else in this process has.
 */
function tentative(parts: StateParts, actions: readonly Action[]): StateParts {
  const draft = new CatalogDraft(parts, -++tentativeStates, parts.timeMs);
  new TransactionCheck(draft, Number.POSITIVE_INFINITY).run(actions);
  return draft.finish();
}

/** The catalog as of one version of the log. Immutable; states share their common parts. */
export class CatalogState implements Snapshot {
  readonly parts: StateParts;

  constructor(parts: StateParts) {
    this.parts = parts;
  }

  /** Version 0: the bootstrap objects, nothing else. */
  static readonly empty = new CatalogState({
    version: 0,
    epoch: 0,
    headSha256: '0'.repeat(64),
    timeMs: 0,
    objects: PersistentMap.from(
      BOOTSTRAP_OBJECTS.map((object) => [object.id, { object, createdAt: 0, changedAt: 0 }] as const),
    ),
    directories: PersistentMap.from(
      Object.entries(Object.groupBy(BOOTSTRAP_OBJECTS, directoryOf)).map(
        ([key, objects = []]) => [key, Directory.from(objects)] as const,
      ),
    ),
    contents: PersistentMap.empty(),
    tombstones: PersistentMap.empty(),
    shares: PersistentMap.empty(),
    results: TransactionResults.empty,
    orphansBeforeMs: 0,
  });

  get version(): number {
    return this.parts.version;
  }

  get epoch(): number {
    return this.parts.epoch;
  }

  /** The hash of the newest entry's bytes, which the next entry must carry as `prevSha256`. */
  get headSha256(): string {
    return this.parts.headSha256;
  }

  object(id: ObjectId): CatalogObject | undefined {
    return this.parts.objects.get(id)?.object;
  }

  database(name: string): DatabaseObject | undefined {
    return this.#directory(DATABASES).get(name) as DatabaseObject | undefined;
  }

  schema(databaseId: ObjectId, name: string): SchemaObject | undefined {
    return this.#directory(schemasOf(databaseId)).get(name) as SchemaObject | undefined;
  }

  relation(schemaId: ObjectId, name: string): RelationObject | undefined {
    const found = this.#directory(relationsOf(schemaId)).get(name);
    return found?.kind === 'sequence' ? undefined : (found as RelationObject | undefined);
  }

  sequence(schemaId: ObjectId, name: string): SequenceObject | undefined {
    const found = this.#directory(relationsOf(schemaId)).get(name);
    return found?.kind === 'sequence' ? found : undefined;
  }

  location(databaseId: ObjectId, name: string): LocationObject | undefined {
    return this.#directory(locationsOf(databaseId)).get(name) as LocationObject | undefined;
  }

  principal(name: string): PrincipalObject | undefined {
    return this.#directory(PRINCIPALS).get(name) as PrincipalObject | undefined;
  }

  principals(): readonly PrincipalObject[] {
    return this.#directory(PRINCIPALS).list() as readonly PrincipalObject[];
  }

  databases(): readonly DatabaseObject[] {
    return this.#directory(DATABASES).list() as readonly DatabaseObject[];
  }

  schemas(databaseId: ObjectId): readonly SchemaObject[] {
    return this.#directory(schemasOf(databaseId)).list() as readonly SchemaObject[];
  }

  relations(schemaId: ObjectId): readonly RelationObject[] {
    return this.#directory(relationsOf(schemaId)).relations();
  }

  sequences(schemaId: ObjectId): readonly SequenceObject[] {
    return this.#directory(relationsOf(schemaId)).sequences();
  }

  locations(databaseId: ObjectId): readonly LocationObject[] {
    return this.#directory(locationsOf(databaseId)).list() as readonly LocationObject[];
  }

  tablets(tableId: ObjectId): readonly Tablet[] {
    return this.#contents(tableId)?.tablets() ?? [];
  }

  tablet(tableId: ObjectId, tabletId: TabletId): Tablet | undefined {
    return this.#contents(tableId)?.tablet(tabletId);
  }

  deletionVector(tableId: ObjectId, tabletId: TabletId): DeletionVector | undefined {
    return this.#contents(tableId)?.vectors.get(tabletId)?.vector;
  }

  contentsVersion(tableId: ObjectId): number {
    return this.parts.contents.get(tableId)?.version ?? 0;
  }

  totals(tableId: ObjectId): TableTotals {
    return this.parts.contents.get(tableId)?.totals ?? TableContents.empty(0).totals;
  }

  withActions(actions: readonly Action[]): CatalogState {
    return new CatalogState(tentative(this.parts, actions));
  }

  /** The version of the entry that committed the transaction, for as long as it is remembered. */
  committedVersion(idempotencyKey: string): number | undefined {
    return this.parts.results.get(idempotencyKey);
  }

  /** Objects of the store that may be deleted once nobody reads the versions before. */
  tombstones(): Iterable<Tombstone> {
    return this.parts.tombstones.values();
  }

  get tombstoneCount(): number {
    return this.parts.tombstones.size;
  }

  /** Whether something that is committed needs the object; reads the whole catalog. */
  *objectNames(): Generator<string> {
    for (const contents of this.parts.contents.values()) {
      const loaded = contents.load();
      for (const tablet of loaded.tablets()) if (tablet.key !== undefined) yield tablet.key;
      for (const { vector } of loaded.vectors.values()) if (vector.key !== undefined) yield vector.key;
    }
  }

  #directory(key: string): Directory {
    return this.parts.directories.get(key) ?? Directory.empty;
  }

  #contents(tableId: ObjectId): TableContents | undefined {
    return this.parts.contents.get(tableId)?.load();
  }
}
