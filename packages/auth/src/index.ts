export type {
  Authenticator,
  ClientAddress,
  IssuedToken,
  PostgresMethod,
  ScramExchange,
} from './authenticator.ts';
export { DISABLED_USER, disabledAuthenticator } from './disabled.ts';
export { makeCredential } from './passwords/credential.ts';
export type { KnownUser, UserDirectory } from './users.ts';
