import type { Credential } from '@tessera/catalog';
import { TesseraError } from '@tessera/common';

/** The origin of a request, to which delays after wrong passwords apply: an IP address, or `unix`. */
export type ClientAddress = string;

/** A token as `POST /oauth/token` answers it. */
export interface IssuedToken {
  readonly accessToken: string;
  readonly expiresInSeconds: number;
}

/** The methods by which PostgreSQL clients may authenticate. */
export type PostgresMethod =
  /** Nobody is asked. */
  | 'trust'
  /** SCRAM-SHA-256; also the password itself, over TLS. */
  | 'password'
  /** A token in place of the password, over TLS or on loopback. */
  | 'token'
  /** Either of both: what looks like a token is one. */
  | 'token or password';

/**
 * Says who is asking. All failures are UNAUTHENTICATED with one message for everything that a stranger must not tell apart
 * (unknown user, wrong password, no password set, disabled user); the reason goes to the log.
 */
export interface Authenticator {
  readonly mode: 'disabled' | 'native' | 'oidc';
  readonly postgres: PostgresMethod;
  /**
   * The user that a bearer token stands for.
   * @throws TesseraError UNAUTHENTICATED
   */
  token(token: string, from: ClientAddress): Promise<KnownUser>;
  /**
   * The user of the name, if that is the password. Waits after failures, by user and by address.
   * @throws TesseraError UNAUTHENTICATED, TOO_MANY_LOGINS, NOT_SUPPORTED where the mode has no passwords
   */
  password(name: string, password: string, from: ClientAddress): Promise<KnownUser>;
  /**
   * A SCRAM-SHA-256 exchange (RFC 5802, without channel binding) for the user of the name. Unknown users get one too, with a
   * salt that stays the same, and fail at its end.
   */
  scram(name: string, from: ClientAddress): Promise<ScramExchange>;
  /** A token for a user who has shown the password; undefined in modes that issue none. */
  issue: ((user: KnownUser) => Promise<IssuedToken>) | undefined;
  /** The public keys that check the tokens issued here, as `GET /oauth/jwks` answers them; undefined as above. */
  readonly jwks: { readonly keys: readonly object[] } | undefined;
  close(): Promise<void>;
}

/** The server's side of a SCRAM exchange, message by message. */
export interface ScramExchange {
  /** Takes client-first-message, answers server-first-message. @throws TesseraError UNAUTHENTICATED */
  first(message: string): string;
  /** Takes client-final-message, answers server-final-message and who it is. @throws TesseraError UNAUTHENTICATED, TOO_MANY_LOGINS */
  final(message: string): Promise<{ readonly message: string; readonly user: KnownUser }>;
}

/** A user as authentication sees it. */
export interface KnownUser {
  /** ULID of the catalog object. A user that is dropped and created again has a different id. */
  readonly id: string;
  readonly name: string;
  /** False: cannot log in, and its tokens are refused. */
  readonly enabled: boolean;
  /** Absent: no password opens the account. */
  readonly credential?: Credential | undefined;
}

/** The users of the catalog; `Users` of the coordinator is one. */
export interface UserDirectory {
  /** Looks the user up in the newest version of the catalog. The name is matched exactly. */
  find(name: string): Promise<KnownUser | undefined>;
  /**
   * Makes a user without password who is a member of the role, or finds the one that another node just made.
   * @throws TesseraError UNDEFINED_OBJECT when there is no such role
   */
  provision(name: string, role: string): Promise<KnownUser>;
}

/** The error for a wrong name or password. It does not reveal which of the two is wrong. */
export const refusedPassword = (): TesseraError =>
  TesseraError.of('UNAUTHENTICATED', { message: 'The user name or the password is wrong' });

/** The error for a refused token. It does not reveal the reason. */
export const refusedToken = (): TesseraError =>
  TesseraError.of('UNAUTHENTICATED', { message: 'The access token is not valid (any more)' });
