import type { IncomingMessage } from 'node:http';
import { TLSSocket } from 'node:tls';

/** Who gives out tokens for this engine, as the discovery document says it. */
export type TokenSource =
  /** Nobody asks for one. */
  | { readonly kind: 'none' }
  | { readonly kind: 'own' }
  | { readonly kind: 'provider'; readonly name: string; readonly discoveryUrl: string };

export interface Instance {
  readonly id: string;
  /** `auth.instance_id`: the `aud` of tokens, and the `iss` of those issued here. */
  readonly audience: string;
  readonly tokens: TokenSource;
}

/** The address by which this client reached the listener: the only one sure to work for it. */
export const listenerUrl = (request: IncomingMessage): string =>
  `${request.socket instanceof TLSSocket ? 'https' : 'http'}://${request.headers.host ?? 'localhost'}`;

/** `GET /.well-known/firebolt`: where clients of this API family learn how to log in and where to send queries. */
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

/** With members of RFC 8414 where the engine issues the tokens; a provider's own document says them for it. */
interface AuthorizationServer {
  readonly name: string;
  readonly issuer?: string;
  readonly token_endpoint?: string;
  readonly jwks_uri?: string;
  readonly grant_types_supported?: readonly string[];
  readonly token_endpoint_auth_methods_supported?: readonly string[];
  /** Where the provider's document is. */
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
        // The name that clients of the family reserve for the engine itself.
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
