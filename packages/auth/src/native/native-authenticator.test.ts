import { createLocalJWKSet, decodeJwt, decodeProtectedHeader, jwtVerify } from 'jose';
import { afterAll, describe, expect, it } from 'vitest';
import { INSTANCE, KeyFiles, NativeSetup, newEcKey } from '../testing/native-setup.ts';
import { proofOf } from '../testing/scram-client.ts';
import type { SigningAlgorithm } from './signing-keys.ts';

const files = new KeyFiles();
afterAll(() => files[Symbol.dispose]());

it.each<SigningAlgorithm>(['RS256', 'RS384', 'RS512', 'ES256', 'ES384', 'ES512'])(
  'a password gets a token, a token its user (%s)',
  async (signing_algorithm) => {
    await using setup = await NativeSetup.open({ signing_algorithm });
    const { authenticator, timer, users } = setup;
    const alice = await users.find('alice');
    expect(await authenticator.password('alice', 'wonderland', '192.0.2.1')).toBe(alice);
    const issued = await authenticator.issue!(alice!);
    expect(issued.expiresInSeconds).toBe(3600);
    expect(await authenticator.token(issued.accessToken, '192.0.2.1')).toBe(alice);
    // Another program can verify it with the response of /oauth/jwks.
    const { payload, protectedHeader } = await jwtVerify(
      issued.accessToken,
      createLocalJWKSet({ keys: [...authenticator.jwks!.keys] }),
      { issuer: INSTANCE, audience: INSTANCE, currentDate: new Date(timer.nowMs) },
    );
    expect(protectedHeader).toEqual({ alg: signing_algorithm, kid: expect.any(String), typ: 'JWT' });
    const now = timer.nowMs / 1000;
    expect(payload).toEqual({
      iss: INSTANCE,
      aud: INSTANCE,
      sub: 'alice',
      uid: alice!.id,
      cid: alice!.credential!.id,
      iat: now,
      nbf: now,
      exp: now + 3600,
      jti: expect.any(String),
    });
  },
);

it('the key set contains no private keys', async () => {
  await using rsa = await NativeSetup.open();
  await using ec = await NativeSetup.open({ signing_algorithm: 'ES512' });
  expect(Object.keys(rsa.authenticator.jwks!.keys[0]!).sort()).toEqual([
    'alg',
    'e',
    'kid',
    'kty',
    'n',
    'use',
  ]);
  expect(Object.keys(ec.authenticator.jwks!.keys[0]!).sort()).toEqual([
    'alg',
    'crv',
    'kid',
    'kty',
    'use',
    'x',
    'y',
  ]);
});

it('expires_in of a token is not longer than the token is accepted', async () => {
  await using setup = await NativeSetup.open({
    jwt: { clock_skew_tolerance: 0, max_token_age: 60_000, token_expiry: 3_600_000 },
  });
  const issued = await setup.authenticator.issue!((await setup.users.find('alice'))!);
  expect(issued.expiresInSeconds).toBe(60);
  setup.timer.nowMs += 59_000;
  expect(await setup.show(issued.accessToken)).toBe('alice');
  setup.timer.nowMs += 1000;
  expect(await setup.show(issued.accessToken)).toMatch(/^UNAUTHENTICATED/);
});

it('users without a password get tokens too', async () => {
  await using setup = await NativeSetup.open();
  const service = await setup.users.create('service');
  const { accessToken } = await setup.authenticator.issue!(service);
  expect(await setup.show(accessToken)).toBe('service');
  await setup.users.alter('service', { password: 'now it has one' });
  expect(await setup.show(accessToken)).toMatch(/^UNAUTHENTICATED/);
});

it('keys are rotated without invalidating tokens', async () => {
  const key = (id: string) => ({ id, private_key_path: files.write(newEcKey()) });
  const [old, fresh] = [key('old'), key('new')];
  const open = (signing_keys: (typeof old)[]) =>
    NativeSetup.open({ signing_algorithm: 'ES256', signing_keys });
  await using before = await open([old]);
  await using during = await open([fresh, old]);
  await using after = await open([fresh]);
  const user = (await before.users.find('alice'))!;
  const issued = (await before.authenticator.issue!(user)).accessToken;
  const reissued = (await during.authenticator.issue!(user)).accessToken;
  expect(decodeProtectedHeader(reissued).kid).toBe('new');
  const isTaken = async ({ authenticator, users }: NativeSetup, token: string) => {
    // The same user on the other instance.
    users.find = async () => user;
    return authenticator.token(token, 'unix').then(
      () => true,
      () => false,
    );
  };
  expect(await isTaken(during, issued)).toBe(true);
  expect(await isTaken(during, reissued)).toBe(true);
  expect(await isTaken(after, reissued)).toBe(true);
  expect(await isTaken(after, issued)).toBe(false);
  await after.expectReason('no such key');
});

it('the user of a token is looked up on every use, and its signature is verified once', async () => {
  await using setup = await NativeSetup.open();
  const token = await setup.tokenOf();
  const { jti } = decodeJwt(token);
  expect(jti).toBeDefined();
  for (let i = 0; i < 3; i++) expect(await setup.show(token)).toBe('alice');
  await setup.users.alter('alice', { enabled: false });
  expect(await setup.show(token)).toMatch(/^UNAUTHENTICATED/);
  await setup.users.alter('alice', { enabled: true });
  expect(await setup.show(token)).toBe('alice');
  setup.timer.nowMs += 3_630_000;
  expect(await setup.show(token)).toMatch(/^UNAUTHENTICATED/);
  await setup.expectReason('expired');
});

describe('SCRAM', () => {
  it('lets the user in whose password it proves', async () => {
    await using setup = await NativeSetup.open();
    const exchange = await setup.authenticator.scram('alice', '192.0.2.1');
    const serverFirst = exchange.first('n,,n=,r=abc');
    const proof = await proofOf({ password: 'wonderland', header: 'n,,', bare: 'n=,r=abc', serverFirst });
    const { user, message } = await exchange.final(proof);
    expect(user).toBe(await setup.users.find('alice'));
    expect(message).toMatch(/^v=[A-Za-z0-9+/]{43}=$/);
  });
});
