import { requireFreeName, rightsOf } from '@tessera/access-control';
import {
  ADMIN_ROLE,
  BOOTSTRAP_USER,
  type CatalogObject,
  type Credential,
  type ObjectId,
  PUBLIC_ROLE,
  type Snapshot,
  type UserObject,
} from '@tessera/catalog';
import { newUlid, ownCommitIds, retryDecision, TesseraError } from '@tessera/common';
import type { StorageManager } from '@tessera/storage-manager';
import type { MakeCredential } from './catalog-statements.ts';

/** A user as authentication sees it. */
export interface DirectoryUser {
  /** The ULID of the catalog object; a recreated user with the same name has another one. */
  readonly id: string;
  readonly name: string;
  readonly enabled: boolean;
  readonly credential?: Credential | undefined;
}

/** The outcome for the initial user of the configuration. */
export type InitialUser =
  | 'created'
  /** The user already exists; the password of the configuration has no effect any more. */
  | 'exists'
  /** Another administrator can log in, because this is not the first start of the engine. */
  | 'not needed';

/** The users of the catalog, for authentication. All nodes of a cluster may call it concurrently. */
export class Users {
  readonly #manager: Pick<StorageManager, 'latest' | 'commit'>;

  constructor(manager: Pick<StorageManager, 'latest' | 'commit'>) {
    this.#manager = manager;
  }

  /** Reads the newest version of the catalog. */
  async find(name: string): Promise<DirectoryUser | undefined> {
    const snapshot = await this.#manager.latest();
    return userNamed(snapshot, name);
  }

  /**
   * Creates a user without a password who is a member of the role, or finds an existing one.
   * @throws TesseraError UNDEFINED_OBJECT if there is no such role; DUPLICATE_OBJECT, INVALID_ARGUMENT for a
   * name that a user cannot have
   */
  provision(name: string, roleName: string): Promise<DirectoryUser> {
    return this.#changed((snapshot) => {
      const found = userNamed(snapshot, name);
      if (found !== undefined) return { result: found };
      requireFreeName(snapshot, { name });
      const role = snapshot.principal(roleName);
      if (role?.kind !== 'role') throw TesseraError.of('UNDEFINED_OBJECT', { what: 'Role', name: roleName });
      const memberOf = role.id === PUBLIC_ROLE.id ? [] : [membership(role.id)];
      const object = newUser(name, { memberOf });
      return { result: object, change: { kind: 'create', object } };
    });
  }

  /**
   * Creates the first user who can log in, an administrator; does nothing on later starts.
   * @throws TesseraError DUPLICATE_OBJECT, INVALID_ARGUMENT for a name that a user cannot have
   */
  async ensureInitial(name: string, password: string, make: MakeCredential): Promise<InitialUser> {
    if (!needsInitial(await this.#manager.latest(), name)) return this.#initialIfAny(name);
    const credential = await make(password);
    return this.#changed<InitialUser>((snapshot) => {
      if (!needsInitial(snapshot, name)) return { result: initialIfAny(snapshot, name) };
      const builtIn = snapshot.principal(name);
      // The built-in user exists before anyone can log in as that user.
      const object =
        builtIn?.kind === 'user'
          ? { ...builtIn, credential, alteredAt: new Date().toISOString() }
          : newUser(name, { credential, memberOf: [membership(ADMIN_ROLE.id, true)] });
      const kind = builtIn === undefined ? 'create' : 'alter';
      return { result: 'created', change: { kind, object } };
    });
  }

  async #initialIfAny(name: string): Promise<InitialUser> {
    return initialIfAny(await this.#manager.latest(), name);
  }

  /**
   * Commits the change that is computed from a snapshot; retries on a newer one if another node was first.
   */
  async #changed<T>(
    work: (snapshot: Snapshot) => {
      readonly result: T;
      readonly change?: { readonly kind: 'create' | 'alter'; readonly object: CatalogObject };
    },
  ): Promise<T> {
    for (let tries = 1; ; tries += 1) {
      const snapshot = await this.#manager.latest();
      const { result, change } = work(snapshot);
      if (change === undefined) return result;
      try {
        const readVersion = snapshot.version;
        await this.#manager.commit({ ...ownCommitIds(), readVersion, actions: [change] });
        return result;
      } catch (error) {
        if (tries >= (retryDecision(error, 'commit')?.attempts ?? 0)) throw error;
      }
    }
  }
}

function userNamed(snapshot: Snapshot, name: string): UserObject | undefined {
  const found = snapshot.principal(name);
  return found?.kind === 'user' ? found : undefined;
}

/**
 * Whether no administrator can log in and the name is free. The built-in user exists without a password from
 * the start and counts as free.
 */
function needsInitial(snapshot: Snapshot, name: string): boolean {
  const found = userNamed(snapshot, name);
  if (found === undefined) requireFreeName(snapshot, { name });
  const isFree = found === undefined || (found.id === BOOTSTRAP_USER.id && !hasPassword(found));
  return isFree && !snapshot.principals().some((user) => canAdminister(snapshot, user));
}

const initialIfAny = (snapshot: Snapshot, name: string): InitialUser =>
  userNamed(snapshot, name) === undefined ? 'not needed' : 'exists';

const canAdminister = (snapshot: Snapshot, user: CatalogObject): boolean =>
  hasPassword(user) && user.enabled && rightsOf(snapshot, user.name).isAdministrator;

const hasPassword = (object: CatalogObject): object is UserObject =>
  object.kind === 'user' && object.credential !== undefined;

const membership = (role: ObjectId, admin = false) => ({ role, admin, grantor: BOOTSTRAP_USER.name });

function newUser(name: string, fields: Pick<UserObject, 'memberOf' | 'credential'>): UserObject {
  const now = new Date().toISOString();
  return {
    kind: 'user',
    id: newUlid() as ObjectId,
    name,
    createdAt: now,
    alteredAt: now,
    owner: BOOTSTRAP_USER.name,
    enabled: true,
    ...fields,
  };
}
