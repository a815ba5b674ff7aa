import { hkdfSync, randomBytes } from 'node:crypto';
import { fail, type Logger, TesseraError } from '@tessera/common';
import type { Authenticator } from '../authenticator.ts';
import { SYSTEM_TIMER, type Timer } from '../delays/timer.ts';
import { passwordLogins } from '../passwords/password-logins.ts';
import { refusedToken } from '../refusal.ts';
import { TokenRefused } from '../tokens/token-refused.ts';
import type { UserDirectory } from '../users.ts';
import { ProviderError } from './fetch-document.ts';
import { OidcTokens } from './oidc-tokens.ts';
import { type OidcConfig, OpenIdProvider, PROVIDER_LIMITS, type ProviderLimits } from './provider.ts';
import { tokenUsers } from './token-users.ts';
import { UsernameError, usernameTemplate } from './username-template.ts';

export interface OidcOptions {
  readonly config: OidcConfig;
  /** Expected in `aud`. */
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
 * `auth.mode: oidc`: the tokens of an OpenID provider say who is asking. Does not wait for the provider, which is read in the
 * background from now on; until it has answered for the first time tokens are refused.
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
