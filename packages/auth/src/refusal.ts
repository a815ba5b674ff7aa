import { TesseraError } from '@tessera/common';

/** The error for a wrong name or password. It does not reveal which of the two is wrong. */
export const refusedPassword = (): TesseraError =>
  TesseraError.of('UNAUTHENTICATED', { message: 'The user name or the password is wrong' });

/** The error for a refused token. It does not reveal the reason. */
export const refusedToken = (): TesseraError =>
  TesseraError.of('UNAUTHENTICATED', { message: 'The access token is not valid (any more)' });
