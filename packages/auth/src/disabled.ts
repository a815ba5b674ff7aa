import { TesseraError } from '@tessera/common';
import type { Authenticator } from './authenticator.ts';

/** Whose name stands for everybody where nobody is asked: the superuser that every catalog starts with. */
export const DISABLED_USER = 'tessera';

/** `auth.mode: disabled`: endpoints ask nobody, so whoever calls this has not looked at the mode. */
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
