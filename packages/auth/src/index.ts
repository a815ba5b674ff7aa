export type {
  Authenticator,
  ClientAddress,
  IssuedToken,
  KnownUser,
  PostgresMethod,
  ScramExchange,
  UserDirectory,
} from './authenticator.ts';
export { DISABLED_USER, disabledAuthenticator } from './disabled.ts';
export { type NativeOptions, nativeAuthenticator } from './native/native-authenticator.ts';
export { type OidcOptions, oidcAuthenticator } from './oidc/oidc-authenticator.ts';
export { makeCredential, verifyPassword } from './passwords/credential.ts';
