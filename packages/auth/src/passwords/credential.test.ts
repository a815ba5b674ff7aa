import { expect, it } from 'vitest';
import { makeCredential, verifyPassword } from './credential.ts';
import { argon2Runs } from './password-hash.ts';

const credential = await makeCredential('correct horse');
const OTHERS = {
  ...credential,
  // Made by @node-rs/argon2 (RustCrypto) with timeCost 3, memoryCost 4096, parallelism 2.
  passwordHash:
    '$argon2id$v=19$m=4096,t=3,p=2$JA6wO+0K6RUPrt4A7Z/kzw$zwR6VltN2+hPcBWT975M1hKTxaV6CAFtkQwRhBuxo+g',
};

it('is a PHC string and a verifier in the format of PostgreSQL', () => {
  expect(credential).toEqual({
    id: expect.stringMatching(/^[0-9A-HJKMNP-TV-Z]{26}$/),
    passwordHash: expect.stringMatching(
      /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/,
    ),
    scramVerifier: expect.stringMatching(
      /^SCRAM-SHA-256\$16384:[A-Za-z0-9+/]{22}==\$[A-Za-z0-9+/]{43}=:[A-Za-z0-9+/]{43}=$/,
    ),
  });
});

it('is different each time', async () => {
  const again = await makeCredential('correct horse');
  for (const part of ['id', 'passwordHash', 'scramVerifier'] as const)
    expect(again[part]).not.toBe(credential[part]);
});

it('matches its password and no other', async () => {
  expect(await verifyPassword(credential, 'correct horse')).toBe(true);
  for (const wrong of ['', 'correct horse ', 'Correct horse', 'x'.repeat(1e6)])
    expect(await verifyPassword(credential, wrong)).toBe(false);
});

it('does not match a password that only begins like it', async () => {
  const longest = await makeCredential('x'.repeat(1024));
  expect(await verifyPassword(longest, 'x'.repeat(1024))).toBe(true);
  expect(await verifyPassword(longest, 'x'.repeat(1025))).toBe(false);
});

it('hashes of another implementation and of another cost are read', async () => {
  expect(await verifyPassword(OTHERS, 'password')).toBe(true);
  expect(await verifyPassword(OTHERS, 'passwort')).toBe(false);
});

it('takes the same work to check without a credential', async () => {
  const before = argon2Runs();
  expect(await verifyPassword(undefined, 'x')).toBe(false);
  expect(await verifyPassword(undefined, 'x'.repeat(1e6))).toBe(false);
  expect(await verifyPassword(credential, 'x')).toBe(false);
  expect(argon2Runs() - before).toBe(3);
});

it.each([
  ['composed and decomposed', 'caf\u00e9', 'cafe\u0301', true],
  ['a space that is not ASCII', 'a\u00a0b', 'a b', true],
  ['a soft hyphen', 'I\u00adX', 'IX', true],
  ['what SASLprep prohibits stays as it is', '\u0007e\u0301', '\u0007\u00e9', false],
])('SASLprep: %s', async (_, set, shown, same) => {
  expect(await verifyPassword(await makeCredential(set), shown)).toBe(same);
});

it.each([
  ['empty', ''],
  ['longer than', 'x'.repeat(1025)],
  ['U+0000', 'a\0b'],
])('refuses a password that is %s', async (reason, password) => {
  await expect(makeCredential(password)).rejects.toMatchObject({
    name: 'INVALID_ARGUMENT',
    message: expect.stringContaining(reason),
  });
});

it('refuses logins if too many wait, and can set passwords even then', async () => {
  const shown = Array.from({ length: 200 }, () => verifyPassword(OTHERS, 'password'));
  const made = makeCredential('new');
  const outcomes = await Promise.allSettled(shown);
  expect(await made).toEqual(expect.any(Object));
  const refused = outcomes.filter((outcome) => outcome.status === 'rejected');
  expect(refused).toHaveLength(200 - 130);
  expect(refused[0]?.reason).toMatchObject({ name: 'TOO_MANY_LOGINS' });
  expect(await verifyPassword(OTHERS, 'password')).toBe(true);
});

it('a SCRAM verifier that a client has made stands for its password', async () => {
  const { scramVerifier } = await makeCredential('correct horse');
  const made = await makeCredential(scramVerifier);
  expect(made).toMatchObject({ passwordHash: scramVerifier, scramVerifier });
  const before = argon2Runs();
  expect(await verifyPassword(made, 'correct horse')).toBe(true);
  expect(await verifyPassword(made, 'correct house')).toBe(false);
  expect(await verifyPassword(made, scramVerifier)).toBe(false);
  expect(argon2Runs() - before).toBe(3);
  for (const iterations of ['0', '100001'])
    await expect(makeCredential(scramVerifier.replace('16384', iterations))).rejects.toThrow('iterations');
});
