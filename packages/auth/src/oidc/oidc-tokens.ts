import { type CheckedToken, checkToken, MAX_TOKEN_LENGTH, TokenRefused } from '../tokens/check-token.ts';
import { VerifiedTokens } from '../tokens/verified-tokens.ts';
import type { KeySet } from './key-set.ts';
import type { OidcConfig, OpenIdProvider } from './provider.ts';

/** The number of verified tokens in the cache; each takes one or two kilobytes. */
const MAX_VERIFIED = 4_000;

/**
 * The types of access tokens (RFC 9068 and earlier conventions), as opposed to tokens such as logout tokens.
 */
const TYPES = ['at+jwt', 'jwt', undefined];

/**
 * Verifies the tokens of a provider. A verified token is not verified again until the keys have been read
 * again.
 */
export class OidcTokens {
  readonly #provider: OpenIdProvider;
  readonly #jwt: OidcConfig['jwt'];
  readonly #instanceId: string;
  #verified = new VerifiedTokens(MAX_VERIFIED);
  /** The key set that the cached tokens were verified with. */
  #keys: KeySet | undefined;

  constructor(provider: OpenIdProvider, jwt: OidcConfig['jwt'], instanceId: string) {
    this.#provider = provider;
    this.#jwt = jwt;
    this.#instanceId = instanceId;
  }

  /** @throws TokenRefused; ProviderError if the provider has never answered */
  async claims(token: string, nowMs: number): Promise<CheckedToken['claims']> {
    if (token.length > MAX_TOKEN_LENGTH) throw new TokenRefused('too long');
    const keys = await this.#provider.keys();
    if (keys !== this.#keys) {
      this.#verified = new VerifiedTokens(MAX_VERIFIED);
      this.#keys = keys;
    }
    const verified = this.#verified;
    const known = verified.get(token, nowMs);
    if (known !== undefined) return known.claims;
    const checked = await this.#check(token, nowMs);
    verified.add(token, checked);
    return checked.claims;
  }

  async #check(token: string, nowMs: number): Promise<CheckedToken> {
    const rules = {
      issuer: await this.#provider.issuer(),
      audience: this.#instanceId,
      types: TYPES,
      clockSkewMs: this.#jwt.clock_skew_tolerance,
      maxAgeMs: this.#jwt.max_token_age,
    };
    const checked = await checkToken(token, rules, (hint) => this.#provider.key(hint), nowMs);
    // A bound token must be presented with a proof of possession of its key (RFC 7800), which no endpoint supports.
    if (checked.claims.cnf !== undefined) throw new TokenRefused('bound to a key of its client');
    return checked;
  }
}
