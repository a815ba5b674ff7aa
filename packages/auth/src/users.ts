import type { Credential } from '@tessera/catalog';

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
