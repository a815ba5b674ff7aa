import saslprep from '@mongodb-js/saslprep';

/** Characters of the longest password; longer ones are no user's. */
export const MAX_PASSWORD_LENGTH = 1024;

/**
 * The password after SASLprep (RFC 4013), or as it is where that does not allow it: what PostgreSQL and libpq do, so that all
 * clients derive the same keys from it.
 */
export function preparedPassword(password: string): string {
  try {
    return saslprep(password);
  } catch {
    return password;
  }
}
