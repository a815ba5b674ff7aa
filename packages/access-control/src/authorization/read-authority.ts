import type {
  DatabaseObject,
  LocationObject,
  ObjectId,
  RelationObject,
  SchemaObject,
  SequenceObject,
  Snapshot,
  ViewObject,
} from '@tessera/catalog';
import type { SqlLocation } from '@tessera/common';
import type { Visible } from '../rights/visible.ts';
import type { Authorizer } from './authorizer.ts';
import { privilegeOn } from './lookup.ts';
import type { Requirement } from './requirement.ts';

/** Where a query mentions an object that is read. */
export interface ReadMention {
  /**
   * The view whose query mentions it; it is then read with the privileges of the view's owner. Undefined if
   * the statement itself mentions it.
   */
  readonly view: ViewObject | undefined;
  readonly location?: SqlLocation | undefined;
}

/** Checks the privileges for everything that a user's query reads. */
export class ReadAuthority {
  readonly #authorizer: Authorizer;
  readonly #user: string;
  readonly #blindTarget: ObjectId | undefined;

  /**
   * @param blindTarget a table whose rows the statement replaces without reading them, so that it requires no
   * SELECT
   */
  constructor(authorizer: Authorizer, user: string, blindTarget?: ObjectId) {
    this.#authorizer = authorizer;
    this.#user = user;
    this.#blindTarget = blindTarget;
  }

  /** False if nothing is ever refused. */
  get isNeeded(): boolean {
    return this.#authorizer.checksPrivileges;
  }

  /** The objects that hints of errors may mention to the user. */
  visible(snapshot: Snapshot): Visible {
    return this.#authorizer.visible(this.#user, snapshot);
  }

  /** @throws TesseraError FORBIDDEN */
  use(
    snapshot: Snapshot,
    object: DatabaseObject | SchemaObject | LocationObject | SequenceObject,
    mention: ReadMention,
  ): void {
    this.#require(privilegeOn(object, 'USAGE', mention.location), snapshot, mention);
  }

  /** @throws TesseraError FORBIDDEN */
  select(snapshot: Snapshot, relation: RelationObject, mention: ReadMention): void {
    if (mention.view === undefined && relation.id === this.#blindTarget) return;
    this.#require(privilegeOn(relation, 'SELECT', mention.location), snapshot, mention);
  }

  /** @throws TesseraError FORBIDDEN */
  readExternal(snapshot: Snapshot, mention: ReadMention): void {
    const { location } = mention;
    this.#require({ kind: 'engine privilege', privilege: 'READ EXTERNAL', location }, snapshot, mention);
  }

  /** Checks all privileges for reading a relation that was resolved before. @throws TesseraError FORBIDDEN */
  readAgain(snapshot: Snapshot, relation: RelationObject, mention: ReadMention): void {
    if (!this.isNeeded) return;
    const schema = snapshot.object(relation.schemaId);
    const database = schema?.kind === 'schema' ? snapshot.object(schema.databaseId) : undefined;
    if (database?.kind === 'database') this.use(snapshot, database, mention);
    if (schema?.kind === 'schema') this.use(snapshot, schema, mention);
    this.select(snapshot, relation, mention);
  }

  #require(requirement: Requirement, snapshot: Snapshot, { view }: ReadMention): void {
    const user = view?.owner ?? this.#user;
    const onBehalf = view && { view: view.name };
    this.#authorizer.require(requirement, user, snapshot, onBehalf);
  }
}
