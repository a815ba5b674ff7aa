import { generateKeyPairSync } from 'node:crypto';
import fc from 'fast-check';
import { SignJWT } from 'jose';
import { expect, it } from 'vitest';
import { algorithmsOf, type CheckingKey, keyFor, type SignatureAlgorithm } from './algorithms.ts';
import { checkToken, MAX_TOKEN_LENGTH, TokenRefused, type TokenRules } from './check-token.ts';

const NOW_S = 1_800_000_000;
const RULES: TokenRules = {
  issuer: 'https://issuer',
  audience: 'https://tessera',
  types: ['jwt', undefined],
  clockSkewMs: 30_000,
  maxAgeMs: 86_400_000,
};

const pair = (kid: string, made = generateKeyPairSync('ec', { namedCurve: 'P-256' })) => ({
  kid,
  private: made.privateKey,
  checking: { kid, algorithms: algorithmsOf(made.publicKey), key: made.publicKey } satisfies CheckingKey,
});
const one = pair('one');
const two = pair('two');
const rsa = pair('rsa', generateKeyPairSync('rsa', { modulusLength: 2048 }));
const small = pair('small', generateKeyPairSync('rsa', { modulusLength: 1024 }));

type Claims = Readonly<Record<string, unknown>>;
const sign = (claims: Claims = {}, header: Claims = {}, by = one) =>
  new SignJWT({
    iss: RULES.issuer,
    aud: RULES.audience,
    iat: NOW_S,
    exp: NOW_S + 3600,
    ...claims,
  })
    .setProtectedHeader({ alg: 'ES256', kid: by.kid, ...header })
    .sign(by.private);

const check = (token: string, keys: readonly CheckingKey[] = [one.checking, two.checking], nowS = NOW_S) =>
  checkToken(token, RULES, (hint) => keyFor(keys, hint), nowS * 1000);
const refusal = (token: string, keys?: readonly CheckingKey[]) =>
  check(token, keys).then(
    () => 'accepted',
    (error) => (error instanceof TokenRefused ? error.message : error),
  );

it('returns the claims of a valid token and its expiry', async () => {
  expect(await check(await sign({ sub: 'alice' }))).toEqual({
    claims: { iss: RULES.issuer, aud: RULES.audience, iat: NOW_S, exp: NOW_S + 3600, sub: 'alice' },
    validUntilMs: (NOW_S + 3600 + 30) * 1000,
  });
  const long = await check(await sign({ exp: NOW_S + 1e9, aud: ['https://other', RULES.audience] }));
  expect(long.validUntilMs).toBe((NOW_S + 86_400 + 30) * 1000);
});

it.each<[string, Claims, string]>([
  ['expired within the skew', { exp: NOW_S - 29 }, 'accepted'],
  ['expired', { exp: NOW_S - 30 }, 'expired'],
  ['not valid yet within the skew', { nbf: NOW_S + 30 }, 'accepted'],
  ['not valid yet', { nbf: NOW_S + 31 }, 'not valid yet'],
  ['issued in the future within the skew', { iat: NOW_S + 30 }, 'accepted'],
  ['issued in the future', { iat: NOW_S + 31 }, 'issued in the future'],
  ['old', { iat: NOW_S - 86_400 - 30 }, 'accepted'],
  ['too old', { iat: NOW_S - 86_400 - 31 }, 'older than max_token_age'],
  ['no exp', { exp: undefined }, 'no exp'],
  ['no iat', { iat: undefined }, 'no iat'],
  ['no iss', { iss: undefined }, 'no iss'],
  ['no aud', { aud: undefined }, 'no aud'],
  ['another iss', { iss: 'https://evil' }, 'another iss'],
  ['iss in a list', { iss: [RULES.issuer] }, 'another iss'],
  ['another aud', { aud: 'https://tessera.evil' }, 'another aud'],
  ['other auds', { aud: ['https://evil', 7] }, 'another aud'],
  ['exp as text', { exp: String(NOW_S + 60) }, 'malformed exp'],
  ['iat as text', { iat: String(NOW_S) }, 'malformed iat'],
  ['nbf as null', { nbf: null }, 'malformed nbf'],
])('times, issuer and audience: %s', async (_, claims, expected) => {
  expect(await refusal(await sign(claims))).toBe(expected);
});

it.each<[string, Claims, string]>([
  ['JWT', { typ: 'JWT' }, 'accepted'],
  ['a media type', { typ: 'application/jwt' }, 'accepted'],
  ['of another kind', { typ: 'logout+jwt' }, 'another type of token'],
  ['a number', { typ: 7 }, 'another type of token'],
])('typ: %s', async (_, header, expected) => {
  expect(await refusal(await sign({}, header))).toBe(expected);
});

it('crit is refused, known to jose or not', async () => {
  expect(await refusal(await sign({}, { crit: ['b64'], b64: true }))).toBe('crit in the header');
  const header = Buffer.from(JSON.stringify({ alg: 'ES256', kid: 'one', crit: ['x'], x: 1 }));
  expect(await refusal(`${header.toString('base64url')}.e30.AA`)).toBe('malformed');
});

it('a token chooses its key by kid, and needs none only where there is one key', async () => {
  expect(await refusal(await sign({}, {}, two))).toBe('accepted');
  expect(await refusal(await sign({}, { kid: 'two' }))).toBe('wrong signature');
  expect(await refusal(await sign({}, { kid: 'three' }))).toBe('no such key');
  expect(await refusal(await sign({}, { kid: 7 }))).toBe('malformed');
  expect(await refusal(await sign({}, { kid: undefined }))).toBe('no such key');
  expect(await refusal(await sign({}, { kid: undefined }), [one.checking])).toBe('accepted');
  expect(await refusal(await sign({}, { kid: undefined }), [])).toBe('no such key');
  // The token is refused even though only one of the keys could have signed it.
  expect(await refusal(await sign({}, { kid: undefined }), [one.checking, rsa.checking])).toBe('no such key');
});

it('a key checks its own algorithms only', async () => {
  const only = (algorithms: SignatureAlgorithm[]): CheckingKey => ({ ...rsa.checking, algorithms });
  const rs256 = await sign({}, { alg: 'RS256' }, rsa);
  expect(await refusal(rs256, [only(['RS256'])])).toBe('accepted');
  expect(await refusal(rs256, [only(['RS512'])])).toBe('no such key');
  expect(await refusal(rs256, [{ ...one.checking, kid: 'rsa' }])).toBe('no such key');
  // Two keys of different types have one kid, as providers publish them during a rotation.
  expect(await refusal(rs256, [{ ...one.checking, kid: 'rsa' }, rsa.checking])).toBe('accepted');
  expect(small.checking.algorithms).toEqual([]);
});

it('a token has only one valid encoding', async () => {
  const good = await sign();
  const last = String.fromCharCode(good.charCodeAt(good.length - 1) + 1);
  const others = [
    `${good} `,
    ` ${good}`,
    `${good}\n`,
    `${good}==`,
    `${good.slice(0, -9)}\t${good.slice(-9)}`,
  ];
  for (const other of [...others, good.slice(0, -1) + last]) expect(await refusal(other)).toBe('malformed');
});

it('nothing is parsed of a token that is too long', async () => {
  const long = await sign({ filler: 'x'.repeat(MAX_TOKEN_LENGTH) });
  expect(await refusal(long)).toBe('too long');
  const keys = () => expect.unreachable();
  const garbage = checkToken('.'.repeat(1e6), RULES, keys, 0);
  await expect(garbage).rejects.toThrow('too long');
});

it('an error while a key is fetched is passed on', async () => {
  const outage = new Error('provider is down');
  const checked = checkToken(await sign(), RULES, () => Promise.reject(outage), NOW_S * 1000);
  await expect(checked).rejects.toBe(outage);
});

it('garbage is always refused', async () => {
  const good = await sign();
  const [header = '', payload = '', signature = ''] = good.split('.');
  const part = (value: fc.Arbitrary<unknown>) =>
    value.map((v) => Buffer.from(JSON.stringify(v) ?? '').toString('base64url'));
  const headers = fc.record({
    alg: fc.oneof(fc.constantFrom('none', 'None', 'HS256', 'ES256', 'RS256', '__proto__'), fc.jsonValue()),
    kid: fc.oneof(fc.constantFrom('one', '__proto__'), fc.jsonValue()),
    typ: fc.oneof(fc.constantFrom('JWT', '__proto__'), fc.jsonValue()),
  });
  const tokens = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.array(fc.base64String(), { maxLength: 5 }).map((parts) => parts.join('.')),
    fc
      .tuple(part(fc.oneof(headers, fc.jsonValue())), part(fc.jsonValue()), fc.base64String())
      .map((t) => t.join('.')),
    part(headers).map((h) => `${h}.${payload}.${signature}`),
    part(fc.jsonValue()).map((p) => `${header}.${p}.${signature}`),
    fc.nat(good.length - 1).map((at) => good.slice(0, at)),
  );
  await fc.assert(
    fc.asyncProperty(tokens, async (token) => {
      fc.pre(token !== good);
      expect(await refusal(token)).toEqual(expect.any(String));
      expect(await refusal(token)).not.toBe('accepted');
    }),
    { numRuns: 1000 },
  );
});
