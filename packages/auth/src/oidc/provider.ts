import type { Logger } from '@tessera/common';
import type { EngineConfig } from '@tessera/config';
import { Agent } from 'undici';
import { type CheckingKey, type KeyHint, keyFor } from '../tokens/algorithms.ts';
import {
  FETCH_LIMITS,
  type FetchLimits,
  fetchDocument,
  type JsonObject,
  ProviderError,
} from './fetch-document.ts';
import { type KeySet, readKeySet } from './key-set.ts';
import { RETRY_DELAYS, Refreshed, type RetryDelays } from './refreshed.ts';

export type OidcConfig = NonNullable<EngineConfig['auth']['oidc']>;

export interface ProviderLimits {
  readonly fetch: FetchLimits;
  readonly retry: RetryDelays;
  /** Keys are not read more often than this, however short `cache_ttl` is. */
  readonly keysForAtLeastMs: number;
  /** The minimum time between two requests for keys that tokens name and the key set does not contain. */
  readonly unknownKeyEveryMs: number;
}

export const PROVIDER_LIMITS: ProviderLimits = {
  fetch: FETCH_LIMITS,
  retry: RETRY_DELAYS,
  keysForAtLeastMs: 5_000,
  unknownKeyEveryMs: 10_000,
};

const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

/**
 * An OpenID provider as far as verifying its tokens requires: its issuer and its keys, both of which are read
 * again from time to time. While the provider does not answer, its last answers remain in use.
 */
export class OpenIdProvider {
  readonly #discoveryUrl: URL;
  readonly #log: Logger;
  readonly #limits: ProviderLimits;
  readonly #agent: Agent;
  readonly #closing = new AbortController();
  readonly #metadata: Refreshed<ProviderMetadata>;
  readonly #keys: Refreshed<KeySet>;
  readonly #keysForMs: number;
  #lookedForKeyAt = Number.NEGATIVE_INFINITY;

  /** Starts reading. */
  constructor(config: OidcConfig['providers'][number], log: Logger, limits: ProviderLimits) {
    this.#discoveryUrl = new URL(config.discovery_url);
    this.#log = log;
    this.#limits = limits;
    this.#keysForMs = Math.max(config.jwks.cache_ttl, limits.keysForAtLeastMs);
    this.#agent = new Agent({ pipelining: 0, connect: { timeout: limits.fetch.connectTimeoutMs } });
    this.#metadata = new Refreshed({
      what: 'the discovery document',
      everyMs: config.discovery.refresh_interval,
      retry: limits.retry,
      log,
      load: async () => checkDiscovery(await this.#fetch(this.#discoveryUrl), this.#discoveryUrl),
      loaded: (now, before) => this.#found(now, before),
    });
    this.#keys = new Refreshed({
      what: 'the key set',
      // The keys are read before they expire, so that no request waits for a slow provider.
      everyMs: this.#keysForMs * 0.9,
      retry: limits.retry,
      log,
      load: () => this.#readKeys(),
      loaded: (now) => this.#report(now),
    });
    if (this.#discoveryUrl.protocol === 'http:' && !LOOPBACK.test(this.#discoveryUrl.hostname)) {
      log.warn('discovery_url is not https: anyone on the network path to the provider can inject keys');
    }
    void this.#metadata.refresh();
  }

  /**
   * The issuer in the spelling that `iss` of tokens must have. @throws ProviderError if the provider has never
   * answered
   */
  async issuer(): Promise<string> {
    if (this.#metadata.value === undefined && !this.#metadata.failing) await this.#metadata.refresh();
    return (this.#metadata.value ?? silent()).issuer;
  }

  /**
   * The keys: no older than `cache_ttl`, or the last ones while the provider does not answer. Whenever they
   * were read, they are a new object. @throws ProviderError if the provider has never answered
   */
  async keys(): Promise<KeySet> {
    await this.issuer();
    const old = this.#keys.value === undefined || this.#keys.ageMs > this.#keysForMs;
    if (old && !this.#keys.failing) await this.#keys.refresh();
    return this.#keys.value ?? silent();
  }

  /**
   * Returns the key that a token's header names. An unknown key is requested from the provider, but not for
   * every token.
   * @throws ProviderError if the provider has never answered
   */
  async key(hint: KeyHint): Promise<CheckingKey | undefined> {
    const found = keyFor((await this.keys()).keys, hint);
    if (found !== undefined || hint.kid === undefined || !this.#mayLookForKey()) return found;
    this.#log.info('a token names an unknown key: fetching the key set again');
    await this.#keys.refresh();
    return keyFor((await this.keys()).keys, hint);
  }

  async close(): Promise<void> {
    this.#metadata.close();
    this.#keys.close();
    this.#closing.abort();
    await this.#agent.destroy();
  }

  #mayLookForKey(): boolean {
    const now = performance.now();
    if (now - this.#lookedForKeyAt < this.#limits.unknownKeyEveryMs) return false;
    this.#lookedForKeyAt = now;
    return true;
  }

  #found(now: ProviderMetadata, before: ProviderMetadata | undefined): void {
    if (now.issuer === before?.issuer && now.jwksUri.href === before.jwksUri.href) return;
    this.#log.info({ issuer: now.issuer, jwksUri: now.jwksUri.href }, 'OpenID provider found');
    void this.#keys.refresh();
  }

  async #readKeys(): Promise<KeySet> {
    // The keys may have moved.
    if (this.#keys.failing) await this.#metadata.refresh();
    return readKeySet(await this.#fetch((this.#metadata.value ?? silent()).jwksUri));
  }

  #report({ keys, ignored }: KeySet): void {
    const level = keys.length === 0 ? 'warn' : 'debug';
    this.#log[level]({ keys: keys.length, ignored }, 'key set read');
  }

  #fetch(url: URL) {
    const { fetch: limits } = this.#limits;
    return fetchDocument(url, { agent: this.#agent, limits, signal: this.#closing.signal });
  }
}

function silent(): never {
  throw new ProviderError('the OpenID provider has not answered yet');
}

/** The fields of a provider's discovery document that we use. */
interface ProviderMetadata {
  /** The issuer in the spelling that `iss` of tokens must have. */
  readonly issuer: string;
  readonly jwksUri: URL;
}

/**
 * Checks a discovery document (OpenID Connect Discovery 1.0, section 4.3). Its issuer must be the one from
 * which the URL was made, so that someone who can write one page of a server cannot claim to be another issuer
 * on that server. A slash at the end of the issuer does not matter here (section 4.1), but it does in tokens.
 * @throws ProviderError
 */
export function checkDiscovery(document: JsonObject, discoveryUrl: URL): ProviderMetadata {
  const { issuer, jwks_uri } = document;
  if (typeof issuer !== 'string') throw new ProviderError('the discovery document has no issuer');
  const expected = issuerOf(discoveryUrl);
  if (withoutSlash(issuer) !== withoutSlash(expected)) {
    throw new ProviderError(
      `the discovery document is of issuer ${JSON.stringify(issuer)}, its URL is of ${JSON.stringify(expected)}`,
    );
  }
  const jwksUri = typeof jwks_uri === 'string' ? URL.parse(jwks_uri) : null;
  if (jwksUri === null || !/^https?:$/.test(jwksUri.protocol)) {
    throw new ProviderError('the discovery document has no jwks_uri that is an http(s):// URL');
  }
  if (discoveryUrl.protocol === 'https:' && jwksUri.protocol !== 'https:') {
    throw new ProviderError('the jwks_uri of the discovery document is not an https:// URL');
  }
  return { issuer, jwksUri };
}

/** Returns `https://host/tenant` of `https://host/tenant/.well-known/openid-configuration`. */
function issuerOf(discoveryUrl: URL): string {
  const path = discoveryUrl.pathname.replace(/\/\.well-known\/[^/]+$/, '');
  return `${discoveryUrl.origin}${path}`;
}

const withoutSlash = (url: string) => (url.endsWith('/') ? url.slice(0, -1) : url);
