import { createPublicKey, type KeyObject } from 'node:crypto';
import fc from 'fast-check';
import { base64url, exportJWK, SignJWT } from 'jose';
import { afterAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { argon2Runs } from './passwords/password-hash.ts';
import { INSTANCE, KeyFiles, NativeSetup, newEcKey, newRsaKey } from './testing/native-setup.ts';
import { proofOf } from './testing/scram-client.ts';

const REFUSED = 'UNAUTHENTICATED: The access token is not valid (any more)';
const WRONG = 'UNAUTHENTICATED: The user name or the password is wrong';

const files = new KeyFiles();
afterAll(() => files[Symbol.dispose]());
const key = newRsaKey();
const signing_keys = [
  { id: 'one', private_key_path: files.write(key) },
  { id: 'two', private_key_path: files.write(newRsaKey()) },
];

let setup: NativeSetup;
beforeEach(async () => {
  setup = await NativeSetup.open({ signing_keys });
  onTestFinished(() => setup[Symbol.asyncDispose]());
});

type Json = Readonly<Record<string, unknown>>;

/** The default claims of a token for alice. */
async function claims(more: Json = {}): Promise<Json> {
  const alice = await setup.users.find('alice');
  const now = setup.timer.nowMs / 1000;
  return {
    iss: INSTANCE,
    aud: INSTANCE,
    sub: 'alice',
    uid: alice?.id,
    cid: alice?.credential?.id,
    iat: now,
    nbf: now,
    exp: now + 60,
    ...more,
  };
}

const HEADER = { alg: 'RS256', kid: 'one', typ: 'JWT' };
const sign = async (more: Json = {}, header: Json = {}, by: KeyObject | Uint8Array = key) =>
  new SignJWT(await claims(more)).setProtectedHeader({ ...HEADER, ...header }).sign(by);
const unsigned = async (header: Json, more: Json = {}) =>
  [{ ...HEADER, ...header }, await claims(more)]
    .map((part) => base64url.encode(JSON.stringify(part)))
    .join('.');

it('the forged tokens of these tests are valid except for the attack', async () => {
  expect(await setup.show(await sign())).toBe('alice');
});

describe('tokens nobody of ours has signed', () => {
  it.each(['none', 'None', 'NONE', 'nOnE', ''])('alg %s', async (alg) => {
    const token = await unsigned({ alg });
    for (const signature of ['', '.', '.AAAA']) expect(await setup.show(token + signature)).toBe(REFUSED);
  });

  it('a good token without its signature, and with another', async () => {
    const [header, payload] = (await sign()).split('.');
    const [, , signature] = (await sign({ sub: 'bob' })).split('.');
    expect(await setup.show(`${header}.${payload}.`)).toBe(REFUSED);
    expect(await setup.show(`${header}.${payload}`)).toBe(REFUSED);
    expect(await setup.show(`${header}.${payload}.${signature}`)).toBe(REFUSED);
  });

  it('algorithm confusion: the public key as the secret of HS256', async () => {
    const pub = createPublicKey(key);
    const [jwk] = setup.authenticator.jwks?.keys ?? [];
    const secrets = [
      pub.export({ format: 'pem', type: 'spki' }),
      pub.export({ format: 'der', type: 'spki' }),
      pub.export({ format: 'pem', type: 'pkcs1' }),
      JSON.stringify(jwk),
    ];
    for (const secret of secrets)
      for (const alg of ['HS256', 'HS384', 'HS512']) {
        expect(await setup.show(await sign({}, { alg }, Buffer.from(secret)))).toBe(REFUSED);
        await setup.expectReason('algorithm not allowed');
      }
  });

  it('our key with an algorithm that is not the configured one', async () => {
    for (const alg of ['RS384', 'RS512', 'PS256']) {
      expect(await setup.show(await sign({}, { alg }))).toBe(REFUSED);
      await setup.expectReason('no such key');
    }
  });

  it('a foreign key under our kid, under an unknown one, and under none', async () => {
    const theirs = newRsaKey();
    for (const kid of ['one', 'three', undefined, '', '__proto__', '../one', 'one\0', ['one'], 1, null])
      expect(await setup.show(await sign({}, { kid }, theirs))).toBe(REFUSED);
    expect(await setup.show(await sign({}, { kid: 'two' }))).toBe(REFUSED);
    expect(await setup.show(await sign({}, { kid: undefined }))).toBe(REFUSED);
  });

  it('a foreign key in the header', async () => {
    const theirs = newRsaKey();
    const jwk = { ...(await exportJWK(createPublicKey(theirs))), kid: 'one', alg: 'RS256', use: 'sig' };
    const headers: Json[] = [
      { jwk },
      { jku: 'https://evil.example/jwks.json' },
      { jku: `data:application/json,${encodeURIComponent(JSON.stringify({ keys: [jwk] }))}` },
      { x5u: 'https://evil.example/chain.pem' },
      { x5c: [createPublicKey(theirs).export({ format: 'der', type: 'spki' }).toString('base64')] },
    ];
    for (const header of headers)
      for (const kid of ['one', 'theirs', undefined])
        expect(await setup.show(await sign({}, { ...header, kid }, theirs))).toBe(REFUSED);
  });

  it('crit', async () => {
    expect(await setup.show(await sign({}, { crit: ['b64'], b64: true }))).toBe(REFUSED);
  });

  it('a JWK that is a secret does not make HS256 one of our algorithms', async () => {
    await using ec = await NativeSetup.open({
      signing_algorithm: 'ES256',
      signing_keys: [{ id: 'one', private_key_path: files.write(newEcKey()) }],
    });
    const jwk = { kty: 'oct', k: base64url.encode('secret'), kid: 'one' };
    expect(await ec.show(await sign({}, { alg: 'HS256', jwk }, Buffer.from('secret')))).toBe(REFUSED);
  });
});

describe('tokens that say something else', () => {
  it.each<[string, Json, string]>([
    ['another issuer', { iss: 'https://evil.example' }, 'another iss'],
    ['no issuer', { iss: undefined }, 'no iss'],
    ['another audience', { aud: 'https://evil.example' }, 'another aud'],
    ['no audience', { aud: undefined }, 'no aud'],
    ['expired', { exp: 1_800_000_000 - 30 }, 'expired'],
    ['no end', { exp: undefined }, 'no exp'],
    ['not valid yet', { nbf: 1_800_000_000 + 31 }, 'not valid yet'],
    ['issued in the future', { iat: 1_800_000_000 + 31 }, 'issued in the future'],
    ['too old', { iat: 1_800_000_000 - 86_431 }, 'older than max_token_age'],
    ['no time of issue', { iat: undefined }, 'no iat'],
    ['another user', { sub: 'bob' }, 'its user was dropped and created again'],
    ['nobody', { sub: undefined }, 'not a token of a user'],
    ['a user that is a list', { sub: ['alice'] }, 'not a token of a user'],
    ['no user id', { uid: undefined }, 'not a token of a user'],
    ['no credential', { cid: undefined }, 'the password has changed since'],
    ['a credential that is null', { cid: null }, 'malformed cid'],
  ])('%s', async (_, more, reason) => {
    await setup.users.create('bob');
    expect(await setup.show(await sign(more))).toBe(REFUSED);
    await setup.expectReason(reason);
  });

  it('another kind of token', async () => {
    for (const typ of ['logout+jwt', 'dpop+jwt', undefined]) {
      expect(await setup.show(await sign({}, { typ }))).toBe(REFUSED);
      await setup.expectReason('another type of token');
    }
  });
});

describe('tokens that were good once', () => {
  let token: string;
  beforeEach(async () => {
    token = await setup.tokenOf();
    expect(await setup.show(token)).toBe('alice');
  });

  it.each<[string, () => unknown, string]>([
    ['the user is dropped', () => setup.users.drop('alice'), 'its user no longer exists'],
    [
      'the user is dropped and created again',
      () => setup.users.create('alice', 'wonderland'),
      'its user was dropped and created again',
    ],
    [
      'the password changes',
      () => setup.users.alter('alice', { password: 'looking-glass' }),
      'the password has changed since',
    ],
    [
      'the password is set again',
      () => setup.users.alter('alice', { password: 'wonderland' }),
      'the password has changed since',
    ],
    ['the user is disabled', () => setup.users.alter('alice', { enabled: false }), 'its user is disabled'],
  ])('%s', async (_, change, reason) => {
    await change();
    expect(await setup.show(token)).toBe(REFUSED);
    await setup.expectReason(reason);
  });

  it('another instance, with a key of its own or with the same', async () => {
    await using other = await NativeSetup.open();
    await using sister = await NativeSetup.open({ signing_keys });
    expect(await other.show(token)).toBe(REFUSED);
    // The instance has another user with the same name.
    expect(await sister.show(token)).toBe(REFUSED);
  });
});

describe('garbage', () => {
  it('tokens that are too long are not parsed', async () => {
    expect(await setup.show(await sign({ filler: 'x'.repeat(10_000) }))).toBe(REFUSED);
    await setup.expectReason('too long');
    expect(await setup.show('x'.repeat(1e7))).toBe(REFUSED);
  });

  it('random bytes, and valid tokens with random changes', async () => {
    const good = await sign();
    const at = fc.nat(good.length - 1);
    const tokens = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 200 }),
      fc
        .tuple(at, fc.string({ unit: 'binary', minLength: 1, maxLength: 3 }))
        .map(([i, s]) => good.slice(0, i) + s + good.slice(i)),
      fc
        .tuple(at, fc.constantFrom(...'AZaz09-_ =.'))
        .filter(([i, c]) => good[i] !== c)
        .map(([i, c]) => good.slice(0, i) + c + good.slice(i + 1)),
      fc.tuple(at, at).map(([i, j]) => good.slice(0, Math.min(i, j)) + good.slice(Math.max(i, j) + 1)),
    );
    await fc.assert(
      fc.asyncProperty(tokens, async (token) => {
        expect(await setup.show(token)).toBe(REFUSED);
      }),
    );
  });

  it('no token and no password stands in the log', async () => {
    const good = await setup.tokenOf();
    const bad = await sign({ sub: 'nobody' });
    for (const token of [good, bad, `${bad}x`]) await setup.show(token);
    await setup.authenticator.password('alice', 's3cret', '192.0.2.1').catch(() => {});
    await setup.expectReason('wrong password');
    const log = setup.logFile.text();
    for (const part of [...good.split('.'), ...bad.split('.'), 's3cret', 'wonderland'])
      expect(log).not.toContain(part);
  });
});

/** The outcome of a password: the user, or the message of the refusal. */
const login = (name: string, password: string, from = '192.0.2.1') =>
  setup.authenticator.password(name, password, from).then(
    (user) => user.name,
    (error) => `${error.name}: ${error.message}`,
  );

async function scramLogin(name: string, password: string, from = '192.0.2.1') {
  const exchange = await setup.authenticator.scram(name, from);
  const serverFirst = exchange.first('n,,n=,r=abc');
  const proof = await proofOf({ password, header: 'n,,', bare: 'n=,r=abc', serverFirst });
  const outcome = await exchange.final(proof).then(
    ({ user }) => user.name,
    (error) => `${error.name}: ${error.message}`,
  );
  return { outcome, serverFirst };
}

describe('strangers cannot find out which users exist', () => {
  const strangers: [string, string][] = [
    ['nobody', 'wonderland'],
    ['alice', 'wrong'],
    ['service', 'wonderland'],
    ['off', 'wonderland'],
    ['off', 'wrong'],
    ['public', ''],
    ['', ''],
    ['__proto__', 'x'],
    ['x'.repeat(100_000), 'x'.repeat(100_000)],
  ];
  beforeEach(async () => {
    await setup.users.create('service');
    await setup.users.create('off', 'wonderland');
    await setup.users.alter('off', { enabled: false });
  });

  it('through passwords: the same answer after the same work', async () => {
    for (const [name, password] of strangers) {
      const before = argon2Runs();
      expect(await login(name, password)).toBe(WRONG);
      expect(argon2Runs() - before).toBe(1);
    }
  });

  it('through SCRAM: the same answers in the same form', async () => {
    for (const [name, password] of strangers.slice(0, 6)) {
      const { outcome, serverFirst } = await scramLogin(name, password);
      expect(outcome).toBe(WRONG);
      expect(serverFirst).toMatch(/^r=abc[A-Za-z0-9+/]{24},s=[A-Za-z0-9+/]{22}==,i=16384$/);
    }
  });

  it('through salts: they remain the same on this node, on others and after a restart', async () => {
    const saltOf = async ({ authenticator }: NativeSetup, name: string) =>
      /,s=(.*),i=/.exec((await authenticator.scram(name, 'unix')).first('n,,n=,r=abc'))?.[1];
    await using other = await NativeSetup.open({ signing_keys });
    const salts = await Promise.all(['alice', 'nobody', 'somebody'].map((name) => saltOf(setup, name)));
    expect(new Set(salts).size).toBe(3);
    for (const at of [setup, other]) expect(await saltOf(at, 'nobody')).toBe(salts[1]);
    expect(await saltOf(setup, 'alice')).toBe(salts[0]);
    // Nodes that share a secret also share salts, even if their keys change.
    await using here = await NativeSetup.open({}, 'cluster token');
    await using there = await NativeSetup.open({ signing_keys }, 'cluster token');
    expect(await saltOf(here, 'nobody')).toBe(await saltOf(there, 'nobody'));
  });

  it('through delays: unknown names wait as long as known ones', async () => {
    const waits = async (name: string, from: string) => {
      const before = setup.timer.sleeps.length;
      for (let i = 0; i < 6; i++) await login(name, 'wrong', from);
      return setup.timer.sleeps.slice(before);
    };
    expect(await waits('nobody', '192.0.2.1')).toEqual(await waits('alice', '192.0.2.2'));
  });
});

describe('guessing', () => {
  it('has growing delays, however the password is sent', async () => {
    for (let i = 0; i < 4; i++) expect(await login('alice', `guess ${i}`)).toBe(WRONG);
    for (let i = 0; i < 3; i++) expect((await scramLogin('alice', `guess ${i}`)).outcome).toBe(WRONG);
    expect(setup.timer.sleeps).toEqual([250, 500, 1000, 2000]);
    // A correct guess waits as long as a wrong one.
    expect(await login('alice', 'wonderland')).toBe('alice');
    expect(setup.timer.sleeps.at(-1)).toBe(4000);
  });

  it('delays exchanges that began before the failures', async () => {
    const begun = await Promise.all(
      Array.from({ length: 12 }, async () => {
        const exchange = await setup.authenticator.scram('alice', '192.0.2.1');
        return { exchange, serverFirst: exchange.first('n,,n=,r=abc') };
      }),
    );
    for (const { exchange, serverFirst } of begun) {
      const proof = await proofOf({ password: 'guess', header: 'n,,', bare: 'n=,r=abc', serverFirst });
      await expect(exchange.final(proof)).rejects.toThrow();
    }
    expect(setup.timer.sleeps).toHaveLength(9);
  });

  it('fails for a SCRAM exchange that began with the old password', async () => {
    const exchange = await setup.authenticator.scram('alice', '192.0.2.1');
    const serverFirst = exchange.first('n,,n=,r=abc');
    const proof = await proofOf({ password: 'wonderland', header: 'n,,', bare: 'n=,r=abc', serverFirst });
    await setup.users.alter('alice', { password: 'looking-glass' });
    await expect(exchange.final(proof)).rejects.toMatchObject({ name: 'UNAUTHENTICATED' });
  });

  it('locks nobody else out', async () => {
    expect(await login('alice', 'wonderland', '198.51.100.1')).toBe('alice');
    for (let i = 0; i < 18; i++) await login('alice', 'guess', `192.0.2.${i}`);
    const before = setup.timer.sleeps.length;
    expect(await login('alice', 'wonderland', '198.51.100.1')).toBe('alice');
    expect(setup.timer.sleeps.length).toBe(before);
    expect(await login('alice', 'wonderland', '203.0.113.1')).toBe('alice');
    expect(Math.max(...setup.timer.sleeps)).toBeLessThanOrEqual(5000);
  });
});
