import { TesseraError } from '@tessera/common';

/** What everybody reads whose name and password do not fit, whatever of the two it was. */
export const refusedPassword = (): TesseraError =>
  TesseraError.of('UNAUTHENTICATED', { message: 'The user name or the password is wrong' });

/** What everybody reads whose token is refused, for whatever reason. */
export const refusedToken = (): TesseraError =>
  TesseraError.of('UNAUTHENTICATED', { message: 'The access token is not valid (any more)' });
