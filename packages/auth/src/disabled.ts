import { TesseraError } from '@tessera/common';
import type { Authenticator } from './authenticator.ts';

/** The user of every request if authentication is off: the superuser that every catalog has from the start. */
export const DISABLED_USER = 'tessera';

/**
 * The authenticator of `auth.mode: disabled`. The endpoints do not call it in this mode, so a call is a defect.
 */
export function disabledAuthenticator(): Authenticator {
  const unused = async (): Promise<never> => {
    throw TesseraError.of('NOT_SUPPORTED', { what: 'logging in', hint: 'auth.mode is disabled' });
  };
  return {
    mode: 'disabled',
    postgres: 'trust',
    token: unused,
    password: unused,
    scram: unused,
    issue: undefined,
    jwks: undefined,
    close: async () => {},
  };
}
