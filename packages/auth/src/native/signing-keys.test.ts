import { createPublicKey, generateKeyPairSync } from 'node:crypto';
import { chmodSync } from 'node:fs';
import { afterAll, describe, expect, it } from 'vitest';
import { logFile } from '../testing/log-file.ts';
import { KeyFiles, nativeConfig, newEcKey, newRsaKey } from '../testing/native-setup.ts';
import { openSigningKeys, type SigningAlgorithm } from './signing-keys.ts';

const files = new KeyFiles();
afterAll(() => files[Symbol.dispose]());
const logs = logFile();
afterAll(() => logs[Symbol.asyncDispose]());

const open = (algorithm: SigningAlgorithm, ...paths: string[]) =>
  openSigningKeys(
    nativeConfig({
      signing_algorithm: algorithm,
      signing_keys: paths.map((private_key_path, i) => ({ id: `key ${i}`, private_key_path })),
    }),
    logs.log,
  );

const rsa = files.write(newRsaKey());
const p256 = files.write(newEcKey('P-256'));
const p384 = files.write(newEcKey('P-384'));
const p521 = files.write(newEcKey('P-521'));

it.each<[SigningAlgorithm, string]>([
  ['RS256', rsa],
  ['RS384', rsa],
  ['RS512', rsa],
  ['ES256', p256],
  ['ES384', p384],
  ['ES512', p521],
])('%s takes its key', (algorithm, path) => {
  const { checking, signing } = open(algorithm, path);
  expect(checking).toMatchObject([{ kid: 'key 0', algorithms: [algorithm] }]);
  expect(createPublicKey(signing.key).equals(checking[0]!.key)).toBe(true);
});

it('the first key signs, and all keys verify', () => {
  const { checking, signing } = open('ES256', p256, files.write(newEcKey()));
  expect(signing.kid).toBe('key 0');
  expect(checking.map((key) => key.kid)).toEqual(['key 0', 'key 1']);
});

it('older PEM formats are read', () => {
  const pkcs1 = newRsaKey().export({ format: 'pem', type: 'pkcs1' }).toString();
  const sec1 = newEcKey().export({ format: 'pem', type: 'sec1' }).toString();
  expect(open('RS256', files.write(pkcs1)).checking).toHaveLength(1);
  expect(open('ES256', files.write(sec1)).checking).toHaveLength(1);
});

const encrypted = newRsaKey().export({
  format: 'pem',
  type: 'pkcs8',
  cipher: 'aes-256-cbc',
  passphrase: 'x',
});
const pss = generateKeyPairSync('rsa-pss', { modulusLength: 2048 }).privateKey;

describe('keys that are not taken', () => {
  it.each<[string, SigningAlgorithm, string, string]>([
    ['too short', 'RS256', files.write(newRsaKey(1024)), 'is an RSA key of 1024 bits'],
    ['for another padding', 'RS256', files.write(pss), 'rsa-pss'],
    ['of another kind', 'RS256', p256, 'signing_algorithm RS256 needs an RSA key of 2048 bits or more'],
    ['of another kind', 'ES256', rsa, 'needs an EC key on the curve P-256'],
    ['on another curve', 'ES256', p384, 'is an EC key on the curve secp384r1'],
    [
      'on a curve of no algorithm',
      'ES256',
      files.write(newEcKey('secp256k1')),
      'is an EC key on the curve secp256k1',
    ],
    [
      'public',
      'RS256',
      files.write(createPublicKey(newRsaKey()).export({ format: 'pem', type: 'spki' }).toString()),
      'is not a private key',
    ],
    ['under a passphrase', 'RS256', files.write(encrypted.toString()), 'without passphrase'],
    ['no key', 'RS256', files.write('hello'), 'is not a private key in PEM'],
    ['missing', 'RS256', '/no/such/key.pem', 'cannot be read: ENOENT'],
    ['a directory', 'RS256', '/', 'by everybody'],
    ['readable by the group', 'RS256', files.write(newRsaKey(), 0o660), 'its group'],
    ['readable by everybody', 'RS256', files.write(newRsaKey(), 0o644), "run: chmod 600 '"],
  ])('%s', (_, algorithm, path, why) => {
    if (path.endsWith('.pem') && why.match(/group|chmod/))
      chmodSync(path, why.includes('group') ? 0o660 : 0o644);
    const opened = () => open(algorithm, path);
    expect(opened).toThrow(why);
    expect(opened).toThrow(/auth\.native\.signing_keys\[0\]\.private_key_path: \//);
  });
});

it('without keys one is generated, and the log says what that means', async () => {
  const one = open('ES384');
  const two = open('ES384');
  expect(one.checking).toMatchObject([{ kid: expect.stringMatching(/^ephemeral-/), algorithms: ['ES384'] }]);
  expect(one.checking[0]!.kid).not.toBe(two.checking[0]!.kid);
  await expect.poll(() => logs.text()).toContain('For development only');
});
