import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { proofOf } from '../testing/scram-client.ts';
import { makeCredential } from './credential.ts';
import { ServerScram } from './scram-exchange.ts';
import { fakeVerifier, parseVerifier } from './scram-verifier.ts';

const verifier = parseVerifier((await makeCredential('pencil')).scramVerifier);
const begun = () => {
  const server = new ServerScram(verifier);
  return { server, first: server.first('n,,n=,r=abc') };
};

it('the example of RFC 7677', () => {
  // Keys of its password `pencil`, salt and iterations.
  const server = new ServerScram(
    parseVerifier(
      'SCRAM-SHA-256$4096:W22ZaJ0SNY7soEsUEjb6gQ==$WG5d8oPm3OtcPnkdi4Uo7BkeZkBFzpcXkuLmtbsT4qY=:wfPLwcE6nTWhTAmQ7tl2KeoiWGPlZqQxSrmfPwDl2dU=',
    ),
    '%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0',
  );
  expect(server.first('n,,n=user,r=rOprNGfwEbeRWgbNEkqO')).toBe(
    'r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096',
  );
  expect(
    server.final(
      'c=biws,r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,p=dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ=',
    ),
  ).toEqual({ proven: true, message: 'v=6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4=' });
});

describe.each(['n,,', 'y,,'])('header %s', (header) => {
  it('accepts the proof of the password and no other', async () => {
    for (const [password, proven] of [
      ['pencil', true],
      ['pencils', false],
    ] as const) {
      const server = new ServerScram(verifier);
      const first = server.first(`${header}n=,r=abc`);
      const final = await proofOf({ password, header, bare: 'n=,r=abc', serverFirst: first });
      expect(server.final(final).proven).toBe(proven);
    }
  });
});

it.each([
  ['channel binding', 'p=tls-server-end-point,,n=,r=abc'],
  ['another identity', 'n,a=admin,n=,r=abc'],
  ['an extension', 'n,,m=x,n=,r=abc'],
  ['no nonce', 'n,,n=,r='],
  ['a nonce with a comma', 'n,,n=,r=a,b'],
  ['nothing', ''],
  ['too long', `n,,n=,r=${'a'.repeat(5000)}`],
])('client-first-message with %s is refused', (_, message) => {
  expect(() => new ServerScram(verifier).first(message)).toThrow(/^Malformed SCRAM message/);
});

it('client-final-message is only accepted in its own exchange, once', async () => {
  const proof = async ({ first }: { first: string }) =>
    proofOf({ password: 'pencil', header: 'n,,', bare: 'n=,r=abc', serverFirst: first });
  const one = begun();
  const two = begun();
  const good = await proof(one);
  expect(() => two.server.final(good)).toThrow('the nonce does not fit');
  expect(() => begun().server.final(good.replace('c=biws', 'c=eSws'))).toThrow(
    'channel binding does not fit',
  );
  expect(one.server.final(good).proven).toBe(true);
  expect(() => one.server.final(good)).toThrow('out of turn');
  expect(() => new ServerScram(verifier).final(good)).toThrow('out of turn');
  const again = begun();
  expect(() => again.server.first('n,,n=,r=abc')).toThrow('twice');
});

it('garbage is always refused', () => {
  const texts = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.tuple(fc.string(), fc.base64String()).map(([r, p]) => `c=biws,r=${r},p=${p}`),
    fc.base64String({ minLength: 44, maxLength: 44 }).map((p) => `p=${p}`),
  );
  fc.assert(
    fc.property(texts, (text) => {
      const { server, first } = begun();
      const nonce = first.slice(0, first.indexOf(','));
      try {
        expect(server.final(text.startsWith('p=') ? `c=biws,${nonce},${text}` : text).proven).toBe(false);
      } catch (error) {
        expect(error).toMatchObject({ name: 'UNAUTHENTICATED' });
      }
      try {
        new ServerScram(verifier).first(text);
      } catch (error) {
        expect(error).toMatchObject({ name: 'UNAUTHENTICATED' });
      }
    }),
  );
});

it('a name without a password has a salt that is constant and unique', () => {
  const salt = (secret: string, name: string) => fakeVerifier(Buffer.from(secret), name).salt.toString('hex');
  expect(salt('s', 'nobody')).toBe(salt('s', 'nobody'));
  expect(salt('s', 'nobody')).not.toBe(salt('s', 'somebody'));
  expect(salt('s', 'nobody')).not.toBe(salt('t', 'nobody'));
  expect(fakeVerifier(Buffer.from('s'), 'nobody')).toMatchObject({ iterations: verifier.iterations });
  expect(salt('s', 'nobody').length).toBe(verifier.salt.toString('hex').length);
});
