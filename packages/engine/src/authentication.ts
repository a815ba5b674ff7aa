import {
  type Authenticator,
  disabledAuthenticator,
  makeCredential,
  nativeAuthenticator,
  oidcAuthenticator,
  verifyPassword,
} from '@tessera/auth';
import { fail, type Logger } from '@tessera/common';
import type { EngineConfig } from '@tessera/config';
import type { Users } from '@tessera/coordinator';
import type { Instance, TokenSource } from '@tessera/http-api';
import type { NodeCredentials } from '@tessera/rpc';

/**
 * Opens the authenticator for `auth.mode`. In native mode, the first user exists afterwards.
 * @throws TesseraError INVALID_ARGUMENT if the keys or the provider cannot be used
 */
export async function openAuthenticator(
  { auth }: EngineConfig,
  users: Users,
  log: Logger,
  { clusterToken: secret }: Pick<NodeCredentials, 'clusterToken'>,
): Promise<Authenticator> {
  const common = { instanceId: auth.instance_id, users, log };
  switch (auth.mode) {
    case 'disabled':
      return disabledAuthenticator();
    case 'native': {
      const config = auth.native ?? missing('auth.native');
      await makeInitialUser(config.initial_user, users, log);
      return nativeAuthenticator({ ...common, config, secret });
    }
    case 'oidc':
      return oidcAuthenticator({ ...common, config: auth.oidc ?? missing('auth.oidc'), secret });
  }
}

async function makeInitialUser(
  user: NonNullable<EngineConfig['auth']['native']>['initial_user'],
  users: Users,
  log: Logger,
): Promise<void> {
  if (user === null) return;
  const outcome = await users.ensureInitial(user.name, user.password, makeCredential);
  log.info({ user: user.name, outcome }, 'initial user');
  if (outcome === 'created') return;
  // The configuration creates the user at the first start only. This must be logged for anyone who edits it
  // later.
  const found = await users.find(user.name);
  if (found === undefined) {
    log.warn(
      { user: user.name },
      'auth.native.initial_user is not in the catalog and is not created, because an administrator exists already: create the user with CREATE USER',
    );
  } else if (!(await verifyPassword(found.credential, user.password)))
    log.warn(
      { user: user.name },
      'auth.native.initial_user.password is not the password of this user: the catalog wins after the first start; change the password with ALTER USER … SET PASSWORD',
    );
}

const missing = (block: string): never => fail('INVALID_ARGUMENT', { message: `${block} is missing` });

/** The instance as clients see it before they log in. */
export const instanceOf = (config: EngineConfig): Instance => ({
  id: config.instance.id,
  audience: config.auth.instance_id,
  tokens: tokenSource(config),
});

function tokenSource({ auth }: EngineConfig): TokenSource {
  const provider = auth.oidc?.providers[0];
  if (auth.mode === 'oidc' && provider !== undefined)
    return { kind: 'provider', name: provider.name, discoveryUrl: provider.discovery_url };
  return { kind: auth.mode === 'native' ? 'own' : 'none' };
}
