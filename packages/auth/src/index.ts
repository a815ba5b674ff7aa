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
export type { NativeOptions } from './native/native-authenticator.ts';
export type { OidcOptions } from './oidc/oidc-authenticator.ts';
export { makeCredential, nativeAuthenticator, oidcAuthenticator, verifyPassword } from './on-demand.ts';
