import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
// @ts-expect-error It has no types.
import { Provider } from 'oidc-provider';

export type Algorithm = 'RS256' | 'PS256' | 'ES256' | 'ES384' | 'ES512' | 'EdDSA';
type Jwk = Readonly<Record<string, unknown>>;
type Handler = (request: IncomingMessage, response: ServerResponse) => void;

export interface OpenIdProviderOptions {
  /** The clients that may fetch tokens. A client's name is also its secret and the `sub` of its tokens. */
  readonly clients?: readonly string[];
  readonly algorithm?: Algorithm;
  /** The port; 0 means any free port. */
  readonly port?: number;
  /** The path of the provider below its host. */
  readonly path?: string;
}

/** A real OpenID provider on a port of its own. Tests can replace its responses. */
export class OpenIdProviderServer {
  readonly #path: string;
  readonly #clients: readonly string[];
  readonly #server = createServer((request, response) => this.#answer(request, response));
  #handle: Handler = () => {};
  #algorithm: Algorithm;
  #keys: Jwk[];
  port: number;
  /** Additional claims of tokens. */
  claims: Readonly<Record<string, unknown>> = {};
  /** Answers a request in place of the provider if it returns true. */
  instead: ((request: IncomingMessage, response: ServerResponse) => boolean) | undefined;
  /** The paths of all requests. */
  readonly requests: string[] = [];

  constructor({ clients = ['alice'], algorithm = 'ES256', path = '', port = 0 }: OpenIdProviderOptions = {}) {
    this.#clients = clients;
    this.#algorithm = algorithm;
    this.#path = path;
    this.port = port;
    this.#keys = [newKey(algorithm)];
  }

  get issuer(): string {
    return `http://127.0.0.1:${this.port}${this.#path}`;
  }
  get discoveryUrl(): string {
    return `${this.issuer}/.well-known/openid-configuration`;
  }

  /** Starts again on the same port after a stop. */
  async start(): Promise<this> {
    await new Promise<void>((resolve) => this.#server.listen(this.port, '127.0.0.1', resolve));
    this.port = (this.#server.address() as AddressInfo).port;
    this.#configure();
    return this;
  }

  async stop(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.#server.closeAllConnections();
    await closed;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  /** Signs with a new key from now on. With `keepOld` it still publishes the earlier keys. */
  rotate(algorithm = this.#algorithm, { keepOld = false } = {}): void {
    this.#algorithm = algorithm;
    this.#keys = [newKey(algorithm), ...(keepOld ? this.#keys : [])];
    this.#configure();
  }

  /** Returns an access token of the client credentials grant for a resource (RFC 8707). */
  async token(audience: string, client = this.#clients[0] ?? ''): Promise<string> {
    const response = await fetch(`${this.issuer}/token`, {
      method: 'POST',
      headers: { authorization: `Basic ${Buffer.from(`${client}:${client}`).toString('base64')}` },
      body: new URLSearchParams({ grant_type: 'client_credentials', resource: audience }),
    });
    const { access_token: token } = (await response.json()) as { access_token?: string };
    if (token === undefined) throw new Error(`the provider answered ${response.status} and no token`);
    return token;
  }

  #configure(): void {
    const provider = new Provider(this.issuer, {
      adapter: Stored,
      ttl: { ClientCredentials: 600 },
      jwks: { keys: this.#keys },
      clients: this.#clients.map((name) => ({
        client_id: name,
        client_secret: name,
        id_token_signed_response_alg: this.#algorithm,
        grant_types: ['client_credentials'],
        redirect_uris: [],
        response_types: [],
      })),
      enabledJWA: { idTokenSigningAlgValues: ALGORITHMS },
      extraTokenClaims: () => this.claims,
      features: {
        devInteractions: { enabled: false },
        clientCredentials: { enabled: true },
        resourceIndicators: {
          enabled: true,
          getResourceServerInfo: (_: unknown, audience: string) => ({
            audience,
            scope: '',
            accessTokenFormat: 'jwt',
            accessTokenTTL: 600,
            jwt: { sign: { alg: this.#algorithm } },
          }),
        },
      },
    });
    this.#handle = provider.callback();
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    this.requests.push(request.url ?? '');
    if (this.instead?.(request, response)) return;
    const url = request.url ?? '';
    if (!url.startsWith(`${this.#path}/`)) {
      response.writeHead(404).end();
      return;
    }
    Object.assign(request, { originalUrl: url });
    request.url = url.slice(this.#path.length);
    this.#handle(request, response);
  }
}

/** The provider's storage. It contains nothing for self-contained tokens. */
class Stored {
  async upsert(): Promise<void> {}
  async find(): Promise<undefined> {}
}

const ALGORITHMS: readonly Algorithm[] = ['RS256', 'PS256', 'ES256', 'ES384', 'ES512', 'EdDSA'];

function newKey(algorithm: Algorithm): Jwk {
  const curves = { ES256: 'P-256', ES384: 'P-384', ES512: 'P-521' } as const;
  const { privateKey } =
    algorithm === 'EdDSA'
      ? generateKeyPairSync('ed25519')
      : algorithm === 'RS256' || algorithm === 'PS256'
        ? generateKeyPairSync('rsa', { modulusLength: 2048 })
        : generateKeyPairSync('ec', { namedCurve: curves[algorithm] });
  return { ...privateKey.export({ format: 'jwk' }), kid: randomUUID(), alg: algorithm, use: 'sig' };
}
