import { hkdfSync } from 'node:crypto';
import type { Logger } from '@tessera/common';
import { type Authenticator, type KnownUser, refusedToken, type UserDirectory } from '../authenticator.ts';
import { SYSTEM_TIMER, type Timer } from '../delays/timer.ts';
import { passwordLogins } from '../passwords/password-logins.ts';
import type { CheckingKey } from '../tokens/algorithms.ts';
import { TokenRefused } from '../tokens/check-token.ts';
import { NativeTokens, type TokenSubject } from './native-tokens.ts';
import { type NativeConfig, openSigningKeys, type SigningKeys } from './signing-keys.ts';

export interface NativeOptions {
  readonly config: NativeConfig;
  /** The value of `iss` and `aud` in tokens. */
  readonly instanceId: string;
  readonly users: UserDirectory;
  readonly log: Logger;
  /** A secret that only the nodes of this instance share. Without it, the signing key is used instead. */
  readonly secret?: string | undefined;
  readonly timer?: Timer;
}

/**
 * The authenticator of `auth.mode: native`: users of the catalog send a password, or a token that was issued
 * here for it.
 * @throws TesseraError INVALID_ARGUMENT if the signing keys cannot be used
 */
export function nativeAuthenticator({
  config,
  instanceId,
  users,
  log,
  secret,
  timer = SYSTEM_TIMER,
}: NativeOptions): Authenticator {
  const keys = openSigningKeys(config, log);
  const tokens = new NativeTokens(keys, config.jwt, instanceId);
  const logins = passwordLogins({ users, log, secret: saltSecret(keys, secret), timer });
  return {
    mode: 'native',
    postgres: 'token or password',
    async token(token, from) {
      let subject: TokenSubject | undefined;
      try {
        subject = await tokens.check(token, timer.now());
        return holder(await users.find(subject.name), subject);
      } catch (error) {
        if (!(error instanceof TokenRefused)) throw error;
        log.info({ user: subject?.name, from, reason: error.message }, 'token refused');
        throw refusedToken();
      }
    },
    password: logins.password,
    scram: logins.scram,
    issue: (user) => tokens.issue(user, timer.now()),
    jwks: { keys: keys.checking.map((checking) => publicJwk(checking, keys.algorithm)) },
    close: async () => logins.close(),
  };
}

/** The user to whom a token was issued, if it is still the same user with the same password. */
function holder(user: KnownUser | undefined, subject: TokenSubject): KnownUser {
  if (user === undefined) throw new TokenRefused('its user no longer exists');
  if (user.id !== subject.userId) throw new TokenRefused('its user was dropped and created again');
  if (user.credential?.id !== subject.credentialId) throw new TokenRefused('the password has changed since');
  if (!user.enabled) throw new TokenRefused('its user is disabled');
  return user;
}

const publicJwk = ({ kid, key }: CheckingKey, alg: string): object => ({
  ...key.export({ format: 'jwk' }),
  kid,
  alg,
  use: 'sig',
});

/**
 * The secret from which salts are derived, the same on all nodes: the instance's own secret, which does not
 * change when keys are rotated, or the signing key.
 */
function saltSecret({ signing }: SigningKeys, secret: string | undefined): Buffer {
  const material = secret ?? signing.key.export({ format: 'der', type: 'pkcs8' });
  return Buffer.from(hkdfSync('sha256', material, '', 'salts of unknown users', 32));
}
