import { BOOTSTRAP_USER } from '@tessera/catalog';
import { type Logger, TesseraError } from '@tessera/common';
import { TokenRefused } from '../tokens/token-refused.ts';
import type { KnownUser, UserDirectory } from '../users.ts';

interface Options {
  readonly users: UserDirectory;
  /** A user that is not there yet is made, with this role. */
  readonly provisioning: { readonly enabled: boolean; readonly default_role: string };
  readonly log: Logger;
}

/**
 * The enabled user of the name, made where that is allowed; never the built-in one.
 * The function throws TokenRefused.
 */
export function tokenUsers({ users, provisioning, log }: Options): (name: string) => Promise<KnownUser> {
  // A client that opens many connections at once makes its user once.
  const underWay = new Map<string, Promise<KnownUser>>();
  const provision = (name: string) => {
    const known = underWay.get(name);
    if (known !== undefined) return known;
    const made = make(name).finally(() => underWay.delete(name));
    underWay.set(name, made);
    return made;
  };
  const make = async (name: string) => {
    const role = provisioning.default_role;
    try {
      const user = await users.provision(name, role);
      log.info({ user: user.name, role }, 'user created at first login');
      return user;
    } catch (err) {
      if (!(err instanceof TesseraError)) throw err;
      if (err.name === 'UNDEFINED_OBJECT') {
        log.error(
          { err, user: name, role },
          'jit_provisioning.default_role does not exist: no users are created',
        );
        throw new TokenRefused('its user cannot be made', { cause: err });
      }
      // A role has the name, or nobody may have it.
      if (err.name !== 'DUPLICATE_OBJECT' && err.name !== 'INVALID_ARGUMENT') throw err;
      throw new TokenRefused(`its user cannot be made: ${err.message}`, { cause: err });
    }
  };
  return async (name) => {
    const found = await users.find(name);
    // Someone who can choose a name at the provider must not become the built-in administrator.
    if (found?.id === BOOTSTRAP_USER.id) throw new TokenRefused(`built-in user ${name}`);
    if (found === undefined && !provisioning.enabled) throw new TokenRefused(`unknown user ${name}`);
    const user = found ?? (await provision(name));
    if (!user.enabled) throw new TokenRefused(`disabled user ${name}`);
    return user;
  };
}
