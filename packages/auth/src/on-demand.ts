import type { Authenticator } from './authenticator.ts';
import type { NativeOptions } from './native/native-authenticator.ts';
import type { OidcOptions } from './oidc/oidc-authenticator.ts';

/*
 * A node without authentication needs none of these, and the libraries behind them take 13 MB. Each is therefore loaded with its
 * first call.
 */

/** See `native/native-authenticator.ts`. */
export async function nativeAuthenticator(options: NativeOptions): Promise<Authenticator> {
  return (await import('./native/native-authenticator.ts')).nativeAuthenticator(options);
}

/** See `oidc/oidc-authenticator.ts`. */
export async function oidcAuthenticator(options: OidcOptions): Promise<Authenticator> {
  return (await import('./oidc/oidc-authenticator.ts')).oidcAuthenticator(options);
}

type Passwords = typeof import('./passwords/credential.ts');

/** See `passwords/credential.ts`. */
export const makeCredential: Passwords['makeCredential'] = async (password) =>
  (await import('./passwords/credential.ts')).makeCredential(password);

/** See `passwords/credential.ts`. */
export const verifyPassword: Passwords['verifyPassword'] = async (credential, password) =>
  (await import('./passwords/credential.ts')).verifyPassword(credential, password);
