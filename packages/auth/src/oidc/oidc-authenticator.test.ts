import { generateKeyPairSync } from 'node:crypto';
import { BOOTSTRAP_USER } from '@tessera/catalog';
import { decodeJwt, SignJWT } from 'jose';
import { describe, expect, it } from 'vitest';
import { authenticator, eventually, INSTANCE, provider, REFUSED, Users } from '../testing/oidc-setup.ts';
import { proofOf } from '../testing/scram-client.ts';
import { TestTimer } from '../testing/test-timer.ts';

const issuedMs = (token: string): number => 1_000 * decodeJwt(token).iat!;

describe('tokens of a real provider', () => {
  it.each(['RS256', 'PS256', 'ES256', 'ES384', 'ES512', 'EdDSA'] as const)(
    'are accepted with %s',
    async (algorithm) => {
      const server = await provider({ algorithm, path: '/realms/a' });
      const { outcome } = await authenticator(server.discoveryUrl);
      expect(await outcome(await server.token(INSTANCE))).toBe('alice');
    },
  );

  it('are refused for another audience, another issuer, an unknown user, a disabled user', async () => {
    const server = await provider({ clients: ['alice', 'mallory', 'bob'] });
    const other = await provider();
    const users = new Users();
    await users.create('alice');
    await users.create('bob');
    await users.alter('bob', { enabled: false });
    const { outcome, log } = await authenticator(server.discoveryUrl, { users });
    expect(await outcome(await server.token('https://other.example'))).toBe(REFUSED);
    expect(await outcome(await other.token(INSTANCE))).toBe(REFUSED);
    expect(await outcome(await server.token(INSTANCE, 'mallory'))).toBe(REFUSED);
    expect(await outcome(await server.token(INSTANCE, 'bob'))).toBe(REFUSED);
    expect(await outcome(await server.token(INSTANCE))).toBe('alice');
    for (const reason of ['another aud', 'no such key', 'unknown user mallory', 'disabled user bob']) {
      await eventually(log).toContain(`"reason":"${reason}"`);
    }
  });

  it('do not authenticate the built-in user, whatever name the provider gives', async () => {
    const server = await provider({ clients: ['tessera'] });
    const users = new Users();
    users.put(BOOTSTRAP_USER);
    const { outcome, log } = await authenticator(server.discoveryUrl, { users, jit: { enabled: true } });
    expect(await outcome(await server.token(INSTANCE))).toBe(REFUSED);
    await eventually(log).toContain('"reason":"built-in user tessera"');
  });

  it('are refused when expired, when too old, and never shown in the log', async () => {
    const server = await provider();
    const timer = new TestTimer(Date.now());
    const { outcome, users, log } = await authenticator(server.discoveryUrl, { options: { timer } });
    const token = await server.token(INSTANCE);
    expect(await outcome(token)).toBe('alice');
    await users.alter('alice', { enabled: false });
    expect(await outcome(token)).toBe(REFUSED);
    await users.alter('alice', { enabled: true });
    timer.nowMs = issuedMs(token) + 629_000;
    expect(await outcome(token)).toBe('alice');
    timer.nowMs += 2_000;
    expect(await outcome(token)).toBe(REFUSED);
    await eventually(log).toContain('"reason":"expired"');
    for (const part of token.split('.')) expect(log()).not.toContain(part);
  });

  it('are refused when older than max_token_age, beyond clock_skew_tolerance', async () => {
    const server = await provider();
    const timer = new TestTimer(Date.now());
    const jwt = { clock_skew_tolerance: 5_000, max_token_age: 100_000 };
    const { outcome, log } = await authenticator(server.discoveryUrl, { jwt, options: { timer } });
    const token = await server.token(INSTANCE);
    timer.nowMs = issuedMs(token) + 104_000;
    expect(await outcome(token)).toBe('alice');
    timer.nowMs += 2_000;
    expect(await outcome(token)).toBe(REFUSED);
    await eventually(log).toContain('"reason":"older than max_token_age"');
  });

  it('are refused when they belong to a key of the client', async () => {
    const server = await provider();
    const { outcome } = await authenticator(server.discoveryUrl);
    server.claims = { cnf: { jkt: 'AAAA' } };
    expect(await outcome(await server.token(INSTANCE))).toBe(REFUSED);
  });

  it('signed by somebody else under a known kid are refused', async () => {
    const server = await provider();
    const { outcome } = await authenticator(server.discoveryUrl);
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
    const users = new Users();
    await users.create('acme|7');
    const { outcome, log } = await authenticator(server.discoveryUrl, {
      users,
      mapping: '{{ org.name }}|{{ uid }}',
    });
    server.claims = { org: { name: 'acme' }, uid: 7 };
    expect(await outcome(await server.token(INSTANCE))).toBe('acme|7');
    server.claims = { org: { name: 'ac|me' }, uid: 7 };
    expect(await outcome(await server.token(INSTANCE))).toBe(REFUSED);
    server.claims = { uid: 7 };
    expect(await outcome(await server.token(INSTANCE))).toBe(REFUSED);
    await eventually(log).toContain('the token has no claim org.name');
  });

  it('are created once, at their first login', async () => {
    const server = await provider();
    const { outcome, users } = await authenticator(server.discoveryUrl, {
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

  it('are not created with the name of a role', async () => {
    const server = await provider({ clients: ['role'] });
    const { outcome, log } = await authenticator(server.discoveryUrl, { jit: { enabled: true } });
    expect(await outcome(await server.token(INSTANCE))).toBe(REFUSED);
    await eventually(log).toContain('its user cannot be made: Role \\"role\\" already exists');
  });

  it('are not created without their role, and disabled ones are not created again', async () => {
    const server = await provider({ clients: ['alice', 'bob'] });
    const users = new Users();
    await users.create('bob');
    await users.alter('bob', { enabled: false });
    const { outcome, log } = await authenticator(server.discoveryUrl, {
      users,
      jit: { enabled: true, default_role: 'missing' },
    });
    expect(await outcome(await server.token(INSTANCE))).toBe(REFUSED);
    expect(await outcome(await server.token(INSTANCE, 'bob'))).toBe(REFUSED);
    await eventually(log).toContain('jit_provisioning.default_role does not exist');
    expect(users.provisioned).toEqual([]);
  });
});

describe('passwords', () => {
  it('are not accepted without postgres_password_fallback_enabled', async () => {
    const server = await provider();
    const { auth } = await authenticator(server.discoveryUrl);
    expect(auth.postgres).toBe('token');
    await expect(auth.password('alice', 'x', '10.0.0.1')).rejects.toMatchObject({ name: 'NOT_SUPPORTED' });
    await expect(auth.scram('alice', '10.0.0.1')).rejects.toMatchObject({ name: 'NOT_SUPPORTED' });
  });

  it('are accepted with it in addition to tokens, whether the provider is up or down', async () => {
    const server = await provider();
    const users = new Users();
    await users.create('alice');
    await users.create('bob', 'pencil');
    const { auth, outcome } = await authenticator(server.discoveryUrl, { users, passwords: true });
    expect(auth.postgres).toBe('token or password');
    expect(await outcome(await server.token(INSTANCE))).toBe('alice');
    await server.stop();
    expect(await auth.password('bob', 'pencil', '10.0.0.1')).toMatchObject({ name: 'bob' });
    for (const [name, password] of [
      ['bob', 'pen'],
      ['alice', ''],
      ['nobody', 'pencil'],
    ] as const) {
      await expect(auth.password(name, password, '10.0.0.1')).rejects.toThrow(
        'The user name or the password is wrong',
      );
    }
    const exchange = await auth.scram('bob', '10.0.0.1');
    const first = exchange.first('n,,n=,r=abc');
    const proof = await proofOf({ password: 'pencil', header: 'n,,', bare: 'n=,r=abc', serverFirst: first });
    expect((await exchange.final(proof)).user.name).toBe('bob');
  });
});
