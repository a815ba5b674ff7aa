import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { isSealed, requireOpen, SecretKeys, secretKeys } from './sealed-secret.ts';

const [OLD, NEW] = [randomBytes(32), randomBytes(32)];
const SECRET = 'wJalrXUtnFEMI/K7MDENG/ä€';

test('ciphertext shows nothing of the text, differs each time, and can be decrypted', () => {
  const keys = new SecretKeys([NEW]);
  const sealed = [keys.seal(SECRET, 'a'), keys.seal(SECRET, 'a')];
  expect(new Set(sealed).size).toBe(2);
  for (const one of sealed) {
    expect(isSealed(one)).toBe(true);
    expect(one).not.toContain('wJalr');
    expect(keys.open(one, 'a')).toBe(SECRET);
  }
  expect(keys.open(keys.seal('', 'a'), 'a')).toBe('');
});

test('without a key texts stay readable, and clear texts of earlier versions are read with one', () => {
  const none = new SecretKeys([]);
  expect([none.canSeal, none.seal(SECRET, 'a')]).toEqual([false, SECRET]);
  expect(new SecretKeys([NEW]).open(SECRET, 'a')).toBe(SECRET);
});

test('a key is replaced: the new one encrypts, the old one still decrypts', () => {
  const sealed = new SecretKeys([OLD]).seal(SECRET, 'a');
  const both = new SecretKeys([NEW, OLD]);
  expect(both.open(sealed, 'a')).toBe(SECRET);
  expect(new SecretKeys([NEW]).open(both.seal(SECRET, 'a'), 'a')).toBe(SECRET);
});

test('a secret of another key or purpose, or a damaged one, is passed on unread and refused when it is used', () => {
  const keys = new SecretKeys([NEW]);
  const sealed = keys.seal(SECRET, 'a');
  const damaged = `${sealed.slice(0, 40)}${sealed[40] === 'A' ? 'B' : 'A'}${sealed.slice(41)}`;
  for (const [one, text, purpose] of [
    [new SecretKeys([OLD]), sealed, 'a'],
    [new SecretKeys([]), sealed, 'a'],
    [keys, damaged, 'a'],
    [keys, sealed, 'b'],
  ] as const) {
    expect(one.open(text, purpose)).toBe(text);
    expect(one.seal(text, purpose)).toBe(text);
    expect(() => requireOpen(text)).toThrow(expect.objectContaining({ name: 'SECRET_KEY_MISSING' }));
  }
  expect(requireOpen(SECRET)).toBe(SECRET);
});

test('keys of the environment are base64 or hexadecimal, several with commas', () => {
  const sealed = new SecretKeys([OLD]).seal(SECRET, 'a');
  const text = `${NEW.toString('hex')}, ${OLD.toString('base64')}`;
  expect(secretKeys({ TESSERA_SECRETS_KEY: text }).open(sealed, 'a')).toBe(SECRET);
  expect(secretKeys({}).canSeal).toBe(false);
  expect(() => secretKeys({ TESSERA_SECRETS_KEY: 'short' })).toThrow(/32 bytes/);
  expect(() => secretKeys({ TESSERA_SECRETS_KEY_FILE: '/nonexistent/key' })).toThrow(/cannot be read/);
});
