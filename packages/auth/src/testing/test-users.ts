import type { Credential } from '@tessera/catalog';
import { newUlid, TesseraError } from '@tessera/common';
import type { KnownUser, UserDirectory } from '../authenticator.ts';
import { makeCredential } from '../passwords/credential.ts';

/** Users in memory. */
export class TestUsers implements UserDirectory {
  readonly #users = new Map<string, KnownUser>();

  async find(name: string): Promise<KnownUser | undefined> {
    return this.#users.get(name);
  }

  provision(_name: string, _role: string): Promise<KnownUser> {
    return Promise.reject(TesseraError.of('UNDEFINED_OBJECT', { what: 'Role', name: 'none' }));
  }

  /** CREATE USER */
  async create(name: string, password?: string | Credential): Promise<KnownUser> {
    const credential = typeof password === 'string' ? await makeCredential(password) : password;
    return this.put({ id: newUlid(), name, enabled: true, credential });
  }

  /** ALTER USER */
  async alter(name: string, change: { password?: string; enabled?: boolean }): Promise<KnownUser> {
    const user = this.#users.get(name);
    if (user === undefined) throw new Error(`no user ${name}`);
    const { password, enabled = user.enabled } = change;
    const credential = password === undefined ? user.credential : await makeCredential(password);
    return this.put({ ...user, enabled, credential });
  }

  drop(name: string): void {
    this.#users.delete(name);
  }

  put(user: KnownUser): KnownUser {
    this.#users.set(user.name, user);
    return user;
  }
}
