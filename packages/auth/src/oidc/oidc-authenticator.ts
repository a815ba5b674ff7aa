import { fail, type Logger, TesseraError } from '@tessera/common';
import type { Authenticator } from '../authenticator.ts';
import { refusedToken } from '../refusal.ts';
import { checkToken } from '../tokens/check-token.ts';
import { TokenRefused } from '../tokens/token-refused.ts';
import type { UserDirectory } from '../users.ts';
import { ProviderError } from './fetch-document.ts';
import { type OidcConfig, OpenIdProvider, PROVIDER_LIMITS, type ProviderLimits } from './provider.ts';
import { tokenUsers } from './token-users.ts';
import { UsernameError, usernameTemplate } from './username-template.ts';

export interface OidcOptions {
  readonly config: OidcConfig;
  /** Expected in `aud`. */
  readonly instanceId: string;
  readonly users: UserDirectory;
  readonly log: Logger;
  readonly now?: () => number;
  readonly limits?: ProviderLimits;
}

/** Access tokens (RFC 9068 and before it), not tokens that say something else, such as that a session has ended. */
const TYPES = ['at+jwt', 'jwt', undefined];

/**
 * `auth.mode: oidc`: the tokens of an OpenID provider say who is asking. Does not wait for the provider, which is read in the
 * background from now on; until it has answered for the first time tokens are refused.
 */
export function oidcAuthenticator(o: OidcOptions): Authenticator {
  const [config] = o.config.providers;
  if (config === undefined) fail('INVALID_ARGUMENT', { message: 'auth.oidc.providers is empty' });
  const { log, now = Date.now } = o;
  const provider = new OpenIdProvider(
    config,
    log.child({ provider: config.name }),
    o.limits ?? PROVIDER_LIMITS,
  );
  const usernameOf = usernameTemplate(config.username_mapping);
  const userOf = tokenUsers({ users: o.users, provisioning: config.jit_provisioning, log });

  const userOfToken = async (token: string) => {
    const rules = {
      issuer: await provider.issuer(),
      audience: o.instanceId,
      types: TYPES,
      clockSkewMs: o.config.jwt.clock_skew_tolerance,
      maxAgeMs: o.config.jwt.max_token_age,
    };
    const { claims } = await checkToken(token, rules, (hint) => provider.key(hint), now());
    // Whoever shows it would have to prove that the key is theirs (RFC 7800), which no endpoint asks for.
    if (claims.cnf !== undefined) throw new TokenRefused('bound to a key of its client');
    return userOf(usernameOf(claims));
  };

  return {
    mode: 'oidc',
    postgres: 'token',
    async token(token, from) {
      try {
        return await userOfToken(token);
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
    password: noPasswords,
    scram: noPasswords,
    issue: undefined,
    jwks: undefined,
    close: () => provider.close(),
  };
}

async function noPasswords(): Promise<never> {
  return fail('NOT_SUPPORTED', {
    what: 'logging in with a password',
    hint: 'auth.mode is oidc: show an access token of the OpenID provider',
  });
}
