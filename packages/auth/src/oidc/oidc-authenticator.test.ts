import { generateKeyPairSync } from 'node:crypto';
import { TesseraError } from '@tessera/common';
import { SignJWT } from 'jose';
import { describe, expect, it, onTestFinished } from 'vitest';
import { logFile } from '../testing/log-file.ts';
import { type OpenIdProviderOptions, OpenIdProviderServer } from '../testing/openid-provider.ts';
import type { KnownUser, UserDirectory } from '../users.ts';
import { FETCH_LIMITS } from './fetch-document.ts';
import { type OidcOptions, oidcAuthenticator } from './oidc-authenticator.ts';
import type { OidcConfig, ProviderLimits } from './provider.ts';

const INSTANCE = 'https://tessera.example';
const HOUR_MS = 3_600_000;
const REFUSED = 'The access token is not valid (any more)';

/** Users in memory; `provisioned` counts what was made. */
class Users implements UserDirectory {
  readonly provisioned: string[] = [];
  readonly #users = new Map<string, KnownUser>();

  constructor(...names: readonly string[]) {
    for (const name of names) this.add(name);
  }
  add(name: string, enabled = true): KnownUser {
    const user = { id: `id of ${name}`, name, enabled };
    this.#users.set(name, user);
    return user;
  }
  async find(name: string) {
    return this.#users.get(name);
  }
  async provision(name: string, role: string) {
    if (role === 'missing') throw TesseraError.of('UNDEFINED_OBJECT', { what: 'Role', name: role });
    this.provisioned.push(`${name}: ${role}`);
    return this.add(name);
  }
}

const LIMITS: ProviderLimits = {
  fetch: { ...FETCH_LIMITS, totalTimeoutMs: 2_000, maxBytes: 65_536 },
  retry: { firstMs: 20, maxMs: 100 },
  keysForAtLeastMs: 0,
  unknownKeyEveryMs: HOUR_MS,
};

interface Setup {
  readonly users?: Users;
  readonly mapping?: string;
  readonly jit?: Partial<OidcConfig['providers'][number]['jit_provisioning']>;
  readonly cacheTtlMs?: number;
  readonly refreshMs?: number;
  readonly limits?: Partial<ProviderLimits>;
  readonly options?: Partial<OidcOptions>;
}

async function provider(options: OpenIdProviderOptions = {}): Promise<OpenIdProviderServer> {
  const server = await new OpenIdProviderServer(options).start();
  onTestFinished(() => server.stop());
  return server;
}

function authenticator(discoveryUrl: string, setup: Setup = {}) {
  const file = logFile();
  const { users = new Users('alice') } = setup;
  const auth = oidcAuthenticator({
    config: {
      jwt: { clock_skew_tolerance: 30_000, max_token_age: 24 * HOUR_MS },
      postgres_password_fallback_enabled: false,
      providers: [
        {
          name: 'test',
          discovery_url: discoveryUrl,
          discovery: { refresh_interval: setup.refreshMs ?? 24 * HOUR_MS },
          jwks: { cache_ttl: setup.cacheTtlMs ?? HOUR_MS },
          jit_provisioning: { enabled: false, default_role: 'public', ...setup.jit },
          username_mapping: setup.mapping ?? '{{ sub }}',
        },
      ],
    },
    instanceId: INSTANCE,
    users,
    log: file.log,
    limits: { ...LIMITS, ...setup.limits },
    ...setup.options,
  });
  onTestFinished(async () => {
    await auth.close();
    await file[Symbol.asyncDispose]();
  });
  const outcome = (token: string) =>
    auth.token(token, '10.0.0.1').then(
      (user) => user.name,
      (error) => {
        expect(error).toMatchObject({ name: 'UNAUTHENTICATED' });
        return (error as Error).message;
      },
    );
  return { auth, users, outcome, log: file.text };
}

const asked = (server: OpenIdProviderServer, page: string) =>
  server.requests.filter((path) => path.endsWith(page)).length;

describe('tokens of a real provider', () => {
  it.each(['RS256', 'PS256', 'ES256', 'ES384', 'ES512', 'EdDSA'] as const)(
    'are accepted with %s',
    async (algorithm) => {
      const server = await provider({ algorithm, path: '/realms/a' });
      const { outcome } = authenticator(server.discoveryUrl);
      expect(await outcome(await server.token(INSTANCE))).toBe('alice');
    },
  );

  it('are refused for another audience, another issuer, an unknown user, a disabled user', async () => {
    const server = await provider({ clients: ['alice', 'mallory', 'bob'] });
    const other = await provider();
    const users = new Users('alice');
    users.add('bob', false);
    const { outcome, log } = authenticator(server.discoveryUrl, { users });
    expect(await outcome(await server.token('https://other.example'))).toBe(REFUSED);
    expect(await outcome(await other.token(INSTANCE))).toBe(REFUSED);
    expect(await outcome(await server.token(INSTANCE, 'mallory'))).toBe(REFUSED);
    expect(await outcome(await server.token(INSTANCE, 'bob'))).toBe(REFUSED);
    expect(await outcome(await server.token(INSTANCE))).toBe('alice');
    for (const reason of ['another aud', 'no such key', 'unknown user mallory', 'disabled user bob']) {
      await expect.poll(log).toContain(`"reason":"${reason}"`);
    }
  });

  it('are refused when expired, when too old, and never shown in the log', async () => {
    const server = await provider();
    let now = Date.now();
    const { outcome, log } = authenticator(server.discoveryUrl, { options: { now: () => now } });
    const token = await server.token(INSTANCE);
    expect(await outcome(token)).toBe('alice');
    now += 629_000;
    expect(await outcome(token)).toBe('alice');
    now += 2_000;
    expect(await outcome(token)).toBe(REFUSED);
    await expect.poll(log).toContain('"reason":"expired"');
    for (const part of token.split('.')) expect(log()).not.toContain(part);
  });

  it('are refused when they belong to a key of the client', async () => {
    const server = await provider();
    const { outcome } = authenticator(server.discoveryUrl);
    server.claims = { cnf: { jkt: 'AAAA' } };
    expect(await outcome(await server.token(INSTANCE))).toBe(REFUSED);
  });

  it('signed by somebody else under a known kid are refused', async () => {
    const server = await provider();
    const { outcome } = authenticator(server.discoveryUrl);
    const [header = ''] = (await server.token(INSTANCE)).split('.');
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const known = JSON.parse(Buffer.from(header, 'base64url').toString()) as { alg: string };
    const forged = await new SignJWT({ sub: 'alice' })
      .setProtectedHeader({ ...known, jwk: publicKey.export({ format: 'jwk' }) })
      .setIssuer(server.issuer)
      .setAudience(INSTANCE)
      .setIssuedAt()
      .setExpirationTime('5m')
      .sign(privateKey);
    expect(await outcome(forged)).toBe(REFUSED);
  });
});

describe('users', () => {
  it('are named by several claims', async () => {
    const server = await provider();
    const users = new Users('acme|7');
    const { outcome, log } = authenticator(server.discoveryUrl, {
      users,
      mapping: '{{ org.name }}|{{ uid }}',
    });
    server.claims = { org: { name: 'acme' }, uid: 7 };
    expect(await outcome(await server.token(INSTANCE))).toBe('acme|7');
    server.claims = { org: { name: 'ac|me' }, uid: 7 };
    expect(await outcome(await server.token(INSTANCE))).toBe(REFUSED);
    server.claims = { uid: 7 };
    expect(await outcome(await server.token(INSTANCE))).toBe(REFUSED);
    await expect.poll(log).toContain('the token has no claim org.name');
  });

  it('are made at their first login, once', async () => {
    const server = await provider();
    const { outcome, users } = authenticator(server.discoveryUrl, {
      users: new Users(),
      jit: { enabled: true, default_role: 'analyst' },
    });
    const token = await server.token(INSTANCE);
    expect(await Promise.all(Array.from({ length: 20 }, () => outcome(token)))).toEqual(
      Array(20).fill('alice'),
    );
    expect(await outcome(token)).toBe('alice');
    expect(users.provisioned).toEqual(['alice: analyst']);
  });

  it('are not made without their role, and disabled ones are not made again', async () => {
    const server = await provider({ clients: ['alice', 'bob'] });
    const users = new Users();
    users.add('bob', false);
    const { outcome, log } = authenticator(server.discoveryUrl, {
      users,
      jit: { enabled: true, default_role: 'missing' },
    });
    expect(await outcome(await server.token(INSTANCE))).toBe(REFUSED);
    expect(await outcome(await server.token(INSTANCE, 'bob'))).toBe(REFUSED);
    await expect.poll(log).toContain('jit_provisioning.default_role does not exist');
    expect(users.provisioned).toEqual([]);
  });
});

describe('keys', () => {
  it('are read once for many tokens, and again for an unknown kid', async () => {
    const server = await provider();
    const { outcome } = authenticator(server.discoveryUrl);
    const token = await server.token(INSTANCE);
    await Promise.all(Array.from({ length: 50 }, () => outcome(token)));
    expect([asked(server, '/openid-configuration'), asked(server, '/jwks')]).toEqual([1, 1]);
    server.rotate('RS256');
    const fresh = await server.token(INSTANCE);
    expect(await Promise.all([outcome(fresh), outcome(fresh)])).toContain('alice');
    expect(await outcome(fresh)).toBe('alice');
    expect(await outcome(token)).toBe(REFUSED);
    expect(asked(server, '/jwks')).toBe(2);
  });

  it('overlap while the provider changes over', async () => {
    const server = await provider();
    const { outcome } = authenticator(server.discoveryUrl);
    const old = await server.token(INSTANCE);
    expect(await outcome(old)).toBe('alice');
    server.rotate('EdDSA', { keepOld: true });
    expect(await outcome(await server.token(INSTANCE))).toBe('alice');
    expect(await outcome(old)).toBe('alice');
  });

  it('are not asked for by a flood of unknown kids', async () => {
    const server = await provider();
    const { outcome } = authenticator(server.discoveryUrl);
    const good = await server.token(INSTANCE);
    const [, payload, signature] = good.split('.');
    const flood = Array.from({ length: 300 }, (_, kid) => {
      const header = Buffer.from(JSON.stringify({ alg: 'ES256', kid: String(kid), typ: 'at+jwt' }));
      return outcome(`${header.toString('base64url')}.${payload}.${signature}`);
    });
    expect(new Set(await Promise.all(flood))).toEqual(new Set([REFUSED]));
    expect(asked(server, '/jwks')).toBe(2);
    expect(await outcome(good)).toBe('alice');
  });

  it('that the provider took back are refused after cache_ttl', async () => {
    const server = await provider();
    const { outcome } = authenticator(server.discoveryUrl, { cacheTtlMs: 50 });
    const token = await server.token(INSTANCE);
    expect(await outcome(token)).toBe('alice');
    server.rotate();
    await expect.poll(() => outcome(token)).toBe(REFUSED);
  });

  it('for other ends and symmetric ones are left out', async () => {
    const server = await provider();
    const secret = Buffer.alloc(32, 7);
    server.instead = (request, response) => {
      if (!request.url?.endsWith('/jwks')) return false;
      const keys = [{ kty: 'oct', kid: 'shared', alg: 'HS256', k: secret.toString('base64url') }];
      response.end(JSON.stringify({ keys }));
      return true;
    };
    const { outcome, log } = authenticator(server.discoveryUrl);
    const forged = await new SignJWT({ sub: 'alice' })
      .setProtectedHeader({ alg: 'HS256', kid: 'shared' })
      .setIssuer(server.issuer)
      .setAudience(INSTANCE)
      .setIssuedAt()
      .setExpirationTime('5m')
      .sign(secret);
    expect(await outcome(forged)).toBe(REFUSED);
    await expect.poll(log).toContain('key \\"shared\\": symmetric');
  });

  it('are found where the discovery document says after it has moved them', async () => {
    const server = await provider();
    let place = '/jwks';
    server.instead = (request, response) => {
      if (request.url === '/moved') request.url = '/jwks';
      else if (request.url === '/jwks' && place !== '/jwks') response.writeHead(410).end();
      else if (request.url?.endsWith('/openid-configuration')) {
        response.end(JSON.stringify({ issuer: server.issuer, jwks_uri: `${server.issuer}${place}` }));
      }
      return response.writableEnded;
    };
    const { outcome } = authenticator(server.discoveryUrl, { cacheTtlMs: 50 });
    expect(await outcome(await server.token(INSTANCE))).toBe('alice');
    place = '/moved';
    server.rotate();
    const token = await server.token(INSTANCE);
    await expect.poll(() => outcome(token)).toBe('alice');
  });
});

describe('outages', () => {
  it('are survived on the keys there are, also past cache_ttl and refresh_interval', async () => {
    const server = await provider();
    const { outcome, log } = authenticator(server.discoveryUrl, { cacheTtlMs: 50, refreshMs: 50 });
    const token = await server.token(INSTANCE);
    expect(await outcome(token)).toBe('alice');
    await server.stop();
    await expect.poll(log).toContain('the key set could not be read; the last one stays in use');
    await expect.poll(log).toContain('the discovery document could not be read; the last one stays in use');
    expect(await outcome(token)).toBe('alice');
    expect(log()).toContain('the connection was refused');
    await server.start();
    await expect.poll(log).toContain('the key set: the provider answers again');
    server.rotate();
    const fresh = await server.token(INSTANCE);
    await expect.poll(() => outcome(fresh)).toBe('alice');
  });

  it('at the start refuse tokens, until the provider is there', async () => {
    const server = await provider();
    const token = await server.token(INSTANCE);
    await server.stop();
    const { outcome, log } = authenticator(server.discoveryUrl);
    expect(await outcome(token)).toBe('Tokens cannot be checked: the OpenID provider has not answered yet');
    await expect.poll(log).toContain('the discovery document could not be read; tokens are refused');
    await server.start();
    server.rotate();
    const fresh = await server.token(INSTANCE);
    await expect.poll(() => outcome(fresh)).toBe('alice');
  });

  it('of a provider that says nothing do not hold up tokens of known keys', async () => {
    const server = await provider();
    const { outcome, log } = authenticator(server.discoveryUrl, {
      cacheTtlMs: 50,
      limits: { fetch: { ...LIMITS.fetch, totalTimeoutMs: 100 } },
    });
    const token = await server.token(INSTANCE);
    expect(await outcome(token)).toBe('alice');
    server.instead = () => true;
    await expect.poll(log).toContain('no answer within 0.1 s');
    expect(await outcome(token)).toBe('alice');
  });

  it.each<[string, (url: string) => [number, Record<string, string>, string] | undefined, string]>([
    ['an error', () => [500, {}, ''], 'the server answered 500'],
    ['no JSON', () => [200, {}, '<html>'], 'its answer is not JSON'],
    ['a list', () => [200, {}, '[]'], 'its answer is not a JSON object'],
    ['too much', () => [200, {}, `"${'x'.repeat(70_000)}"`], 'longer than 65536 bytes'],
    ['unasked compression', () => [200, { 'content-encoding': 'gzip' }, ''], 'content coding gzip'],
    ['another issuer', () => [200, {}, '{"issuer":"http://evil","jwks_uri":"http://evil/"}'], 'http://evil'],
    ['no keys', () => [200, {}, '{"issuer":"ISSUER"}'], 'no jwks_uri'],
    ['endless redirects', (url) => [302, { location: `${url}x` }, ''], 'more than 3 redirects'],
    ['a redirect elsewhere', () => [302, { location: 'file:///etc/passwd' }, ''], 'redirects to something'],
    ['garbage for keys', (url) => (url.endsWith('/jwks') ? [200, {}, '{}'] : undefined), 'no list of keys'],
  ])('by %s are said in the log, and end', async (_, answer, message) => {
    const server = await provider();
    server.instead = (request, response) => {
      const [status, headers, body] = answer(request.url ?? '') ?? [];
      if (status === undefined) return false;
      response.writeHead(status, headers).end(body?.replace('ISSUER', server.issuer));
      return true;
    };
    const { outcome, log } = authenticator(server.discoveryUrl);
    await expect.poll(log).toContain(message);
    server.instead = undefined;
    const token = await server.token(INSTANCE);
    await expect.poll(() => outcome(token)).toBe('alice');
  });

  it('are retried at growing intervals, and not by requests', async () => {
    const server = await provider();
    const token = await server.token(INSTANCE);
    server.instead = (_, response) => {
      response.writeHead(503).end();
      return true;
    };
    const { outcome, log } = authenticator(server.discoveryUrl, {
      limits: { retry: { firstMs: HOUR_MS, maxMs: HOUR_MS } },
    });
    await expect.poll(log).toContain('the server answered 503');
    for (let i = 0; i < 20; i++) expect(await outcome(token)).toContain('has not answered yet');
    expect(asked(server, '/openid-configuration')).toBe(1);
  });
});

describe('redirects', () => {
  it('of the discovery document are followed', async () => {
    const server = await provider();
    server.instead = (request, response) => {
      if (!request.url?.startsWith('/.well-known/openid-configuration')) return false;
      if (request.url.endsWith('?moved')) {
        request.url = '/.well-known/openid-configuration';
        return false;
      }
      response.writeHead(307, { location: '?moved' }).end();
      return true;
    };
    const { outcome } = authenticator(server.discoveryUrl);
    expect(await outcome(await server.token(INSTANCE))).toBe('alice');
  });
});

it('close ends what is under way', async () => {
  const server = await provider();
  server.instead = () => true;
  const { auth, outcome, log } = authenticator(server.discoveryUrl);
  await expect.poll(() => server.requests.length).toBe(1);
  const waiting = outcome('a.b.c');
  await auth.close();
  expect(await waiting).toContain('has not answered yet');
  expect(log()).not.toContain('could not be read');
});
