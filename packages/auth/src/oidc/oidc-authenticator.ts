import { hkdfSync, randomBytes } from 'node:crypto';
import { BOOTSTRAP_USER } from '@tessera/catalog';
import { fail, type Logger, TesseraError } from '@tessera/common';
import { type Authenticator, type KnownUser, refusedToken, type UserDirectory } from '../authenticator.ts';
import { SYSTEM_TIMER, type Timer } from '../delays/timer.ts';
import { passwordLogins } from '../passwords/password-logins.ts';
import { TokenRefused } from '../tokens/check-token.ts';
import { ProviderError } from './fetch-document.ts';
import { OidcTokens } from './oidc-tokens.ts';
import { type OidcConfig, OpenIdProvider, PROVIDER_LIMITS, type ProviderLimits } from './provider.ts';
import { UsernameError, usernameTemplate } from './username-template.ts';

export interface OidcOptions {
  readonly config: OidcConfig;
  /** The audience that tokens must have in `aud`. */
  readonly instanceId: string;
  readonly users: UserDirectory;
  readonly log: Logger;
  /**
   * A secret that only the nodes of this instance share. Without it, the salts of unknown users change when the process
   * restarts.
   */
  readonly secret?: string | undefined;
  readonly timer?: Timer;
  readonly limits?: ProviderLimits;
}

/**
 * The authenticator of `auth.mode: oidc`: tokens of an OpenID provider identify users. It does not wait for the
 * provider, whose documents are read in the background from now on. Until they have been read for the first
 * time, tokens are refused.
 */
export function oidcAuthenticator(o: OidcOptions): Authenticator {
  const [config] = o.config.providers;
  if (config === undefined) fail('INVALID_ARGUMENT', { message: 'auth.oidc.providers is empty' });
  const { log, users, timer = SYSTEM_TIMER } = o;
  const provider = new OpenIdProvider(
    config,
    log.child({ provider: config.name }),
    o.limits ?? PROVIDER_LIMITS,
  );
  const tokens = new OidcTokens(provider, o.config.jwt, o.instanceId);
  const usernameOf = usernameTemplate(config.username_mapping);
  const userOf = tokenUsers({ users, provisioning: config.jit_provisioning, log });
  const logins = o.config.postgres_password_fallback_enabled
    ? passwordLogins({ users, log, secret: saltSecret(o.secret), timer })
    : undefined;

  return {
    mode: 'oidc',
    postgres: logins === undefined ? 'token' : 'token or password',
    async token(token, from) {
      try {
        return await userOf(usernameOf(await tokens.claims(token, timer.now())));
      } catch (error) {
        if (error instanceof ProviderError) {
          log.warn({ from }, `token refused: ${error.message}`);
          throw TesseraError.of('UNAUTHENTICATED', { message: `Tokens cannot be checked: ${error.message}` });
        }
        if (!(error instanceof TokenRefused || error instanceof UsernameError)) throw error;
        log.info({ from, reason: error.message }, 'token refused');
        throw refusedToken();
      }
    },
    password: logins?.password ?? noPasswords,
    scram: logins?.scram ?? noPasswords,
    issue: undefined,
    jwks: undefined,
    async close() {
      logins?.close();
      await provider.close();
    },
  };
}

async function noPasswords(): Promise<never> {
  return fail('NOT_SUPPORTED', {
    what: 'logging in with a password',
    hint: 'auth.mode is oidc: show an access token of the OpenID provider',
  });
}

const saltSecret = (secret: string | undefined): Buffer =>
  secret === undefined
    ? randomBytes(32)
    : Buffer.from(hkdfSync('sha256', secret, '', 'salts of unknown users', 32));

interface Options {
  readonly users: UserDirectory;
  /** If enabled, unknown users are created with this role. */
  readonly provisioning: { readonly enabled: boolean; readonly default_role: string };
  readonly log: Logger;
}

/**
 * Returns the enabled user with the given name, and creates it if that is allowed; never returns the built-in user.
 * @throws TokenRefused
 */
function tokenUsers({ users, provisioning, log }: Options): (name: string) => Promise<KnownUser> {
  // A client that opens many connections at once creates its user only once.
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
      // A role has this name, or the name is not allowed.
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
