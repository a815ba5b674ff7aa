import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { ProviderError } from './fetch-document.ts';
import { readKeySet } from './key-set.ts';

const jwk = (key: KeyObject) => key.export({ format: 'jwk' });
const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
const weak = jwk(generateKeyPairSync('rsa', { modulusLength: 1024 }).publicKey);
const ec = (namedCurve: string) => jwk(generateKeyPairSync('ec', { namedCurve }).publicKey);
const ed25519 = jwk(generateKeyPairSync('ed25519').publicKey);
const x25519 = jwk(generateKeyPairSync('x25519').publicKey);
const open = jwk(rsa.publicKey);

it.each<[string, unknown, string[] | string]>([
  ['RSA', open, ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512']],
  ['RSA of one algorithm', { ...open, alg: 'RS256' }, ['RS256']],
  ['P-256', ec('P-256'), ['ES256']],
  ['P-384', { ...ec('P-384'), use: 'sig' }, ['ES384']],
  ['P-521', { ...ec('P-521'), key_ops: ['verify'] }, ['ES512']],
  ['Ed25519', ed25519, ['EdDSA', 'Ed25519']],
  ['with certificates', { ...open, alg: 'PS256', x5c: ['AAAA'], x5t: 'AA' }, ['PS256']],
  ['symmetric', { kty: 'oct', k: 'c2VjcmV0', alg: 'HS256' }, 'symmetric'],
  ['symmetric in disguise', { ...open, k: 'c2VjcmV0' }, 'its private part is published'],
  ['private', jwk(rsa.privateKey), 'its private part is published'],
  ['for encryption', { ...open, use: 'enc' }, 'not for signatures'],
  ['for wrapping', { ...open, key_ops: ['wrapKey'] }, 'not for checking signatures'],
  ['RSA of 1024 bits', weak, 'too weak, or of a type that is not used'],
  ['secp256k1', ec('secp256k1'), 'too weak, or of a type that is not used'],
  ['X25519', x25519, 'too weak, or of a type that is not used'],
  ['alg of another type', { ...open, alg: 'ES256' }, 'its alg is not one of its type'],
  ['alg HS256', { ...open, alg: 'HS256' }, 'its alg is not one of its type'],
  ['no point of its curve', { ...ec('P-256'), x: 'AAAA' }, 'malformed or of an unknown type'],
  ['unknown type', { kty: 'AKP', pub: 'AAAA' }, 'malformed or of an unknown type'],
  ['kid a number', { ...open, kid: 7 }, 'its kid is not a text'],
  ['text', 'key', 'not an object'],
  ['null', null, 'not an object'],
])('a key that is %s', (_, entry, expected) => {
  const { keys, ignored } = readKeySet({ keys: [entry] });
  expect(keys[0]?.algorithms ?? ignored).toEqual(
    typeof expected === 'string' ? [`keys[0]: ${expected}`] : expected,
  );
});

it('one bad key does not invalidate the others', () => {
  const { keys, ignored } = readKeySet({
    keys: [{ kid: 'a', ...open }, { kid: 'b', kty: 'oct', k: 'AA' }, { ...ec('P-256') }, 7],
  });
  expect(keys.map((key) => key.kid)).toEqual(['a', undefined]);
  expect(ignored).toEqual(['key "b": symmetric', 'keys[3]: not an object']);
});

it('an empty list of keys is accepted, a missing list is refused', () => {
  expect(readKeySet({ keys: [] }).keys).toEqual([]);
  for (const keys of [undefined, null, {}, 'keys']) expect(() => readKeySet({ keys })).toThrow(ProviderError);
});

it('garbage is always ignored or refused', () => {
  const member = fc.oneof(
    fc.constantFrom(...Object.values(open), 'RSA', 'EC', 'OKP', 'P-256', 'Ed25519'),
    fc.jsonValue(),
  );
  const key = fc.dictionary(
    fc.constantFrom('kty', 'kid', 'alg', 'use', 'key_ops', 'n', 'e', 'crv', 'x', 'y', '__proto__'),
    member,
  );
  fc.assert(
    fc.property(fc.array(fc.oneof(key, fc.jsonValue())), (keys) => {
      const read = readKeySet({ keys });
      expect(read.keys.length + read.ignored.length).toBe(keys.length);
    }),
    { numRuns: 2_000 },
  );
});
