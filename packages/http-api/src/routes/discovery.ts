import type { IncomingMessage } from 'node:http';
import { TLSSocket } from 'node:tls';

/** The issuer of tokens for this engine, in terms of the discovery document. */
export type TokenSource =
  /** Authentication is off. */
  | { readonly kind: 'none' }
  | { readonly kind: 'own' }
  | { readonly kind: 'provider'; readonly name: string; readonly discoveryUrl: string };

export interface Instance {
  readonly id: string;
  /** `auth.instance_id`: the `aud` claim of tokens, and the `iss` claim of those issued here. */
  readonly audience: string;
  readonly tokens: TokenSource;
}

/** The address by which this client reached the listener, the only one that certainly works for it. */
export const listenerUrl = (request: IncomingMessage): string =>
  `${request.socket instanceof TLSSocket ? 'https' : 'http'}://${request.headers.host ?? 'localhost'}`;

/** `GET /.well-known/firebolt`: tells Firebolt clients how to authenticate and where to send queries. */
export function discoveryDocument(request: IncomingMessage, { id, audience, tokens }: Instance): object {
  const url = listenerUrl(request);
  const server = authorizationServer(tokens, audience, url);
  const auth = server && {
    oauth: {
      protectedResource: { resource: audience, bearer_methods_supported: ['header'] },
      authorizationServers: [server],
      preferredAuthorizationServer: server.name,
    },
  };
  return { instance: { id, auth: auth ?? null }, query_url: url };
}

/**
 * Describes the token issuer. It has the members of RFC 8414 if the engine issues tokens; an identity
 * provider has a document of its own.
 */
interface AuthorizationServer {
  readonly name: string;
  readonly issuer?: string;
  readonly token_endpoint?: string;
  readonly jwks_uri?: string;
  readonly grant_types_supported?: readonly string[];
  readonly token_endpoint_auth_methods_supported?: readonly string[];
  /** The URL of the provider's configuration document. */
  readonly openid_configuration?: string;
}

function authorizationServer(
  tokens: TokenSource,
  audience: string,
  url: string,
): AuthorizationServer | undefined {
  switch (tokens.kind) {
    case 'none':
      return undefined;
    case 'own':
      return {
        // Firebolt's clients reserve this name for the engine itself.
        name: '_local',
        issuer: audience,
        token_endpoint: `${url}/oauth/token`,
        jwks_uri: `${url}/oauth/jwks`,
        grant_types_supported: ['client_credentials', 'password'],
        token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
      };
    case 'provider':
      return { name: tokens.name, openid_configuration: tokens.discoveryUrl };
  }
}
