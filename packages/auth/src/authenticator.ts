import type { Credential } from '@tessera/catalog';
import { TesseraError } from '@tessera/common';

/** The origin of a request, to which delays after wrong passwords apply: an IP address, or `unix`. */
export type ClientAddress = string;

/** A token in the form in which `POST /oauth/token` returns it. */
export interface IssuedToken {
  readonly accessToken: string;
  readonly expiresInSeconds: number;
}

/** The methods by which PostgreSQL clients may authenticate. */
export type PostgresMethod =
  /** Authentication is off. */
  | 'trust'
  /** SCRAM-SHA-256, or the password itself over TLS. */
  | 'password'
  /** A token in place of the password, over TLS or on loopback. */
  | 'token'
  /** Either of the two: a secret that looks like a token is treated as one. */
  | 'token or password';

/**
 * Authenticates users. All failures that a stranger must not tell apart (unknown user, wrong password, no
 * password set, disabled user) are UNAUTHENTICATED with the same message; the reason is logged.
 */
export interface Authenticator {
  readonly mode: 'disabled' | 'native' | 'oidc';
  readonly postgres: PostgresMethod;
  /** Returns the user of a bearer token. @throws TesseraError UNAUTHENTICATED */
  token(token: string, from: ClientAddress): Promise<KnownUser>;
  /**
   * Returns the user if the password is correct. Failed attempts are delayed, by user and by address.
   * @throws TesseraError UNAUTHENTICATED, TOO_MANY_LOGINS; NOT_SUPPORTED if the mode has no passwords
   */
  password(name: string, password: string, from: ClientAddress): Promise<KnownUser>;
  /**
   * Starts a SCRAM-SHA-256 exchange (RFC 5802, without channel binding). For an unknown user the exchange has a
   * salt that is always the same, and fails at its end.
   */
  scram(name: string, from: ClientAddress): Promise<ScramExchange>;
  /** Issues a token for a user who has proved the password; undefined in modes that issue no tokens. */
  issue: ((user: KnownUser) => Promise<IssuedToken>) | undefined;
  /**
   * The public keys that verify the tokens issued here, in the form in which `GET /oauth/jwks` returns them;
   * undefined in modes that issue no tokens.
   */
  readonly jwks: { readonly keys: readonly object[] } | undefined;
  close(): Promise<void>;
}

/** The server's side of a SCRAM exchange, message by message. */
export interface ScramExchange {
  /** Returns server-first-message for client-first-message. @throws TesseraError UNAUTHENTICATED */
  first(message: string): string;
  /**
   * Returns server-final-message and the user for client-final-message.
   * @throws TesseraError UNAUTHENTICATED, TOO_MANY_LOGINS
   */
  final(message: string): Promise<{ readonly message: string; readonly user: KnownUser }>;
}

/** The properties of a user that authentication needs. */
export interface KnownUser {
  /** ULID of the catalog object. A user that is dropped and created again has a different id. */
  readonly id: string;
  readonly name: string;
  /** If false, the user cannot log in, and tokens of the user are refused. */
  readonly enabled: boolean;
  /** If absent, the user cannot log in with a password. */
  readonly credential?: Credential | undefined;
}

/** The users of the catalog. The coordinator implements this interface. */
export interface UserDirectory {
  /** Looks the user up in the newest version of the catalog. The name is matched exactly. */
  find(name: string): Promise<KnownUser | undefined>;
  /**
   * Creates a user without a password who is a member of the role, or returns the one that another node has
   * just created.
   * @throws TesseraError UNDEFINED_OBJECT if the role does not exist
   */
  provision(name: string, role: string): Promise<KnownUser>;
}

/** The error for a wrong name or password. It does not reveal which of the two is wrong. */
export const refusedPassword = (): TesseraError =>
  TesseraError.of('UNAUTHENTICATED', { message: 'The user name or the password is wrong' });

/** The error for a refused token. It does not reveal the reason. */
export const refusedToken = (): TesseraError =>
  TesseraError.of('UNAUTHENTICATED', { message: 'The access token is not valid (any more)' });
