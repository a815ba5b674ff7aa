import { createHash, createHmac, pbkdf2, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { TesseraError } from '@tessera/common';

/** The server's half of SCRAM-SHA-256 (RFC 5802, section 3): it can verify proofs but not create them. */
export interface ScramVerifier {
  readonly iterations: number;
  readonly salt: Buffer;
  readonly storedKey: Buffer;
  readonly serverKey: Buffer;
}

/**
 * The iterations that a client computes at each login. docs/decisions/authentication.md explains the number.
 */
const ITERATIONS = 16_384;
const SALT_BYTES = 16;
const KEY_BYTES = 32;

const derive = promisify(pbkdf2);

/** The verifier in the notation of PostgreSQL's `pg_authid.rolpassword`. */
export async function makeVerifier(prepared: string): Promise<string> {
  const salt = randomBytes(SALT_BYTES);
  const salted = await derive(prepared, salt, ITERATIONS, KEY_BYTES, 'sha256');
  const storedKey = storedKeyOf(salted);
  const keys = `${storedKey.toString('base64')}:${hmac(salted, 'Server Key').toString('base64')}`;
  return `SCRAM-SHA-256$${ITERATIONS}:${salt.toString('base64')}$${keys}`;
}

const storedKeyOf = (salted: Buffer): Buffer => sha256(hmac(salted, 'Client Key'));

/** Whether the verifier was made from this password. */
export async function matchesVerifier(prepared: string, verifier: string): Promise<boolean> {
  const { salt, iterations, storedKey } = parseVerifier(verifier);
  const salted = await derive(prepared, salt, iterations, KEY_BYTES, 'sha256');
  return timingSafeEqual(storedKeyOf(salted), storedKey);
}

/** Whether a text is a verifier in PostgreSQL's notation. */
export const isVerifier = (text: string): boolean => VERIFIER.test(text);

/**
 * The maximum number of iterations of a verifier that a client has made: the server repeats them for each login
 * with the password itself.
 */
const MAX_ITERATIONS = 100_000;

/** @throws TesseraError INVALID_ARGUMENT if the verifier has too many iterations */
export function checkIterations(verifier: string): void {
  const { iterations } = parseVerifier(verifier);
  if (iterations >= 1 && iterations <= MAX_ITERATIONS) return;
  const message = `A SCRAM-SHA-256 password has 1 to ${MAX_ITERATIONS} iterations, not ${iterations}`;
  throw TesseraError.of('INVALID_ARGUMENT', { message });
}

const VERIFIER = /^SCRAM-SHA-256\$(\d+):([A-Za-z0-9+/=]+)\$([A-Za-z0-9+/=]{44}):([A-Za-z0-9+/=]{44})$/;

export function parseVerifier(text: string): ScramVerifier {
  const [, iterations, salt, storedKey, serverKey] = VERIFIER.exec(text) ?? [];
  if (salt === undefined || storedKey === undefined || serverKey === undefined)
    throw new Error('The catalog holds a malformed SCRAM verifier');
  return {
    iterations: Number(iterations),
    salt: Buffer.from(salt, 'base64'),
    storedKey: Buffer.from(storedKey, 'base64'),
    serverKey: Buffer.from(serverKey, 'base64'),
  };
}

/**
 * A verifier that no proof matches, for names without a password. Its salt is derived from the secret and the
 * name, because a salt that changed between two attempts would reveal that the name is unknown.
 */
export const fakeVerifier = (secret: Buffer, name: string): ScramVerifier => ({
  iterations: ITERATIONS,
  salt: hmac(secret, name).subarray(0, SALT_BYTES),
  storedKey: randomBytes(KEY_BYTES),
  serverKey: randomBytes(KEY_BYTES),
});

export const hmac = (key: Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest();
export const sha256 = (bytes: Buffer): Buffer => createHash('sha256').update(bytes).digest();
