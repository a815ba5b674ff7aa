import saslprep from '@mongodb-js/saslprep';
import type { Credential } from '@tessera/catalog';
import { newUlid, TesseraError } from '@tessera/common';
import { hashPassword, matchesHash, NO_PASSWORD } from './password-hash.ts';
import { checkIterations, isVerifier, makeVerifier, matchesVerifier } from './scram-verifier.ts';

/** The maximum length of a password in characters. */
const MAX_PASSWORD_LENGTH = 1024;

/**
 * The password after SASLprep (RFC 4013), or unchanged if SASLprep prohibits it. PostgreSQL and libpq do the
 * same, so that all clients derive the same keys from it.
 */
function preparedPassword(password: string): string {
  try {
    return saslprep(password);
  } catch {
    return password;
  }
}

/**
 * Computes the verifiers that the catalog stores for a password. A password that the client has already turned into a SCRAM
 * verifier, as `\password` of psql does, is stored in place of both.
 * @throws TesseraError INVALID_ARGUMENT for passwords that some client could not send
 */
export async function makeCredential(password: string): Promise<Credential> {
  if (isVerifier(password)) {
    checkIterations(password);
    return { id: newUlid(), passwordHash: password, scramVerifier: password };
  }
  const reason =
    password === ''
      ? 'is empty'
      : password.length > MAX_PASSWORD_LENGTH
        ? `is longer than ${MAX_PASSWORD_LENGTH} characters`
        : password.includes('\0')
          ? 'holds the character U+0000'
          : undefined;
  if (reason) throw TesseraError.of('INVALID_ARGUMENT', { message: `The password ${reason}` });
  const prepared = preparedPassword(password);
  const [passwordHash, scramVerifier] = await Promise.all([hashPassword(prepared), makeVerifier(prepared)]);
  return { id: newUlid(), passwordHash, scramVerifier };
}

/** Takes the same work for any password, whether there is a credential or not. */
export async function verifyPassword(credential: Credential | undefined, password: string): Promise<boolean> {
  const possible = credential !== undefined && password.length <= MAX_PASSWORD_LENGTH;
  const prepared = preparedPassword(password.slice(0, MAX_PASSWORD_LENGTH));
  const { passwordHash = NO_PASSWORD } = credential ?? {};
  if (!isVerifier(passwordHash)) return (await matchesHash(prepared, passwordHash)) && possible;
  await matchesHash(prepared, NO_PASSWORD);
  return (await matchesVerifier(prepared, passwordHash)) && possible;
}
