import { type JsonObject, ProviderError } from './fetch-document.ts';

/** The fields of a provider's discovery document that we use. */
export interface ProviderMetadata {
  /** The issuer, spelled as tokens must spell it in `iss`. */
  readonly issuer: string;
  readonly jwksUri: URL;
}

/**
 * Checks a discovery document (OpenID Connect Discovery 1.0, section 4.3): its issuer must be the one that the URL was
 * made of, so that who can write one page of a server cannot speak for another issuer of it. A slash at the issuer's end
 * makes no difference there (section 4.1), but does in tokens.
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

/** `https://host/tenant` of `https://host/tenant/.well-known/openid-configuration`. */
function issuerOf(discoveryUrl: URL): string {
  const path = discoveryUrl.pathname.replace(/\/\.well-known\/[^/]+$/, '');
  return `${discoveryUrl.origin}${path}`;
}

const withoutSlash = (url: string) => (url.endsWith('/') ? url.slice(0, -1) : url);
