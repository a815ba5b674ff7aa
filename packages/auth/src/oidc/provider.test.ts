import { SignJWT } from 'jose';
import { describe, expect, it } from 'vitest';
import {
  asked,
  authenticator,
  eventually,
  HOUR_MS,
  INSTANCE,
  LIMITS,
  provider,
  REFUSED,
} from '../testing/oidc-setup.ts';

describe('keys', () => {
  it('are read once for many tokens, and again for an unknown kid', async () => {
    const server = await provider();
    const { outcome } = await authenticator(server.discoveryUrl, { refreshMs: 40 * 24 * HOUR_MS });
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
    const { outcome } = await authenticator(server.discoveryUrl);
    const old = await server.token(INSTANCE);
    expect(await outcome(old)).toBe('alice');
    server.rotate('EdDSA', { keepOld: true });
    expect(await outcome(await server.token(INSTANCE))).toBe('alice');
    expect(await outcome(old)).toBe('alice');
  });

  it('are not fetched again for each of many unknown kids', async () => {
    const server = await provider();
    const { outcome } = await authenticator(server.discoveryUrl);
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

  it('that the provider has withdrawn are refused after cache_ttl', async () => {
    const server = await provider();
    const { outcome } = await authenticator(server.discoveryUrl, { cacheTtlMs: 50 });
    const token = await server.token(INSTANCE);
    expect(await outcome(token)).toBe('alice');
    server.rotate();
    await eventually(() => outcome(token)).toBe(REFUSED);
  });

  it('for other purposes, and symmetric ones, are ignored', async () => {
    const server = await provider();
    const secret = Buffer.alloc(32, 7);
    server.instead = (request, response) => {
      if (!request.url?.endsWith('/jwks')) return false;
      const keys = [{ kty: 'oct', kid: 'shared', alg: 'HS256', k: secret.toString('base64url') }];
      response.end(JSON.stringify({ keys }));
      return true;
    };
    const { outcome, log } = await authenticator(server.discoveryUrl);
    const forged = await new SignJWT({ sub: 'alice' })
      .setProtectedHeader({ alg: 'HS256', kid: 'shared' })
      .setIssuer(server.issuer)
      .setAudience(INSTANCE)
      .setIssuedAt()
      .setExpirationTime('5m')
      .sign(secret);
    expect(await outcome(forged)).toBe(REFUSED);
    await eventually(log).toContain('key \\"shared\\": symmetric');
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
    const { outcome } = await authenticator(server.discoveryUrl, { cacheTtlMs: 50 });
    expect(await outcome(await server.token(INSTANCE))).toBe('alice');
    place = '/moved';
    server.rotate();
    const token = await server.token(INSTANCE);
    await eventually(() => outcome(token)).toBe('alice');
  });
});

it('the discovery document is read again after refresh_interval', async () => {
  const server = await provider();
  await authenticator(server.discoveryUrl, { refreshMs: 50 });
  await eventually(() => asked(server, '/openid-configuration')).toBeGreaterThan(2);
});

describe('outages', () => {
  it('are survived with the keys that are cached, even beyond cache_ttl and refresh_interval', async () => {
    const server = await provider();
    const { outcome, log } = await authenticator(server.discoveryUrl, { cacheTtlMs: 50, refreshMs: 50 });
    const token = await server.token(INSTANCE);
    expect(await outcome(token)).toBe('alice');
    await server.stop();
    await eventually(log).toContain('the key set could not be read; the last one stays in use');
    await eventually(log).toContain('the discovery document could not be read; the last one stays in use');
    expect(await outcome(token)).toBe('alice');
    expect(log()).toContain('the connection was refused');
    await server.start();
    await eventually(log).toContain('the key set: the provider answers again');
    server.rotate();
    const fresh = await server.token(INSTANCE);
    await eventually(() => outcome(fresh)).toBe('alice');
  });

  it('at startup refuse tokens until the provider is available', async () => {
    const server = await provider();
    const token = await server.token(INSTANCE);
    await server.stop();
    const { outcome, log } = await authenticator(server.discoveryUrl);
    expect(await outcome(token)).toBe('Tokens cannot be checked: the OpenID provider has not answered yet');
    await eventually(log).toContain('the discovery document could not be read; tokens are refused');
    await server.start();
    server.rotate();
    const fresh = await server.token(INSTANCE);
    await eventually(() => outcome(fresh)).toBe('alice');
  });

  it('without any answer do not delay tokens of known keys', async () => {
    const server = await provider();
    const { outcome, log } = await authenticator(server.discoveryUrl, {
      cacheTtlMs: 50,
      limits: { fetch: { ...LIMITS.fetch, totalTimeoutMs: 1_000 } },
    });
    const token = await server.token(INSTANCE);
    expect(await outcome(token)).toBe('alice');
    server.instead = () => true;
    await eventually(log).toContain('no answer within 1 s');
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
    const { outcome, log } = await authenticator(server.discoveryUrl);
    await eventually(log).toContain(message);
    server.instead = undefined;
    const token = await server.token(INSTANCE);
    await eventually(() => outcome(token)).toBe('alice');
  });

  it('cause retries at growing intervals, not with each request', async () => {
    const server = await provider();
    const token = await server.token(INSTANCE);
    server.instead = (_, response) => {
      response.writeHead(503).end();
      return true;
    };
    const { outcome, log } = await authenticator(server.discoveryUrl, {
      limits: { retry: { firstMs: HOUR_MS, maxMs: HOUR_MS } },
    });
    await eventually(log).toContain('the server answered 503');
    for (let i = 0; i < 20; i++) expect(await outcome(token)).toContain('has not answered yet');
    expect(asked(server, '/openid-configuration')).toBe(1);
  });
});

it('a provider without TLS that is not on this machine is warned of', async () => {
  const { log } = await authenticator('http://provider.invalid/.well-known/openid-configuration');
  await eventually(log).toContain('discovery_url is not https');
  await eventually(log).toContain('could not be read; tokens are refused');
});

describe('redirects', () => {
  it('from the discovery document are followed', async () => {
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
    const { outcome } = await authenticator(server.discoveryUrl);
    expect(await outcome(await server.token(INSTANCE))).toBe('alice');
  });
});

it('close ends the requests in progress', async () => {
  const server = await provider();
  server.instead = () => true;
  const { auth, outcome, log } = await authenticator(server.discoveryUrl);
  await eventually(() => server.requests.length).toBe(1);
  const waiting = outcome('a.b.c');
  await auth.close();
  expect(await waiting).toContain('has not answered yet');
  expect(log()).not.toContain('could not be read');
});
