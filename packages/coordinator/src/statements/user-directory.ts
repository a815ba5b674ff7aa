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
import { newUlid, TesseraError } from '@tessera/common';
import type { StorageManager } from '@tessera/storage-manager';
import type { MakeCredential } from './catalog-statements.ts';

/** A user as authentication sees it. */
export interface DirectoryUser {
  /** ULID of the catalog's object: a user of the same name made anew has another one. */
  readonly id: string;
  readonly name: string;
  readonly enabled: boolean;
  readonly credential?: Credential | undefined;
}

/** What became of the user that the configuration names. */
export type InitialUser =
  | 'created'
  /** There already; the password of the configuration is of no account any more. */
  | 'exists'
  /** Another user can log in as an administrator: the engine does not start for the first time. */
  | 'not needed';

/** How often a change meets those of other nodes that start at the same time. */
const MAX_TRIES = 20;

/** The users of the catalog, for authentication. All nodes of a cluster may do the same at the same time. */
export class Users {
  readonly #manager: Pick<StorageManager, 'latest' | 'commit'>;

  constructor(manager: Pick<StorageManager, 'latest' | 'commit'>) {
    this.#manager = manager;
  }

  /** In the newest version of the catalog. */
  async find(name: string): Promise<DirectoryUser | undefined> {
    const snapshot = await this.#manager.latest();
    return userNamed(snapshot, name);
  }

  /**
   * Makes a user without a password who is a member of the role, or finds the one of that name.
   * @throws TesseraError UNDEFINED_OBJECT when there is no such role; DUPLICATE_OBJECT, INVALID_ARGUMENT for a name that no user
   * can have
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
   * Makes the first user who can log in, an administrator; on later starts nothing.
   * @throws TesseraError DUPLICATE_OBJECT, INVALID_ARGUMENT for a name that no user can have
   */
  async ensureInitial(name: string, password: string, make: MakeCredential): Promise<InitialUser> {
    if (!needsInitial(await this.#manager.latest(), name)) return this.#initialIfAny(name);
    const credential = await make(password);
    return this.#changed<InitialUser>((snapshot) => {
      if (!needsInitial(snapshot, name)) return { result: initialIfAny(snapshot, name) };
      const builtIn = snapshot.principal(name);
      // The built-in user is there before anybody can log in as that one.
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

  /** Commits the change that a snapshot asks for; again on a newer one when another node was first. */
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
      const txnId = newUlid();
      try {
        const readVersion = snapshot.version;
        await this.#manager.commit({ txnId, queryId: txnId, readVersion, actions: [change] });
        return result;
      } catch (error) {
        const lostRace =
          error instanceof TesseraError &&
          (error.name === 'DUPLICATE_OBJECT' || error.name === 'TRANSACTION_CONFLICT');
        if (!lostRace || tries >= MAX_TRIES) throw error;
      }
    }
  }
}

function userNamed(snapshot: Snapshot, name: string): UserObject | undefined {
  const found = snapshot.principal(name);
  return found?.kind === 'user' ? found : undefined;
}

/**
 * Whether nobody can log in as an administrator, and the name is nobody's who could have been made so: the built-in user is
 * there without a password from the start.
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
