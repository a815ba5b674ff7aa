import type { Credential, Snapshot } from '@tessera/catalog';
import type { Rights } from '../rights/rights.ts';

/** The context of statements about users, roles and grants. */
export interface AccessContext {
  /** The user who sent the statement. */
  readonly user: string;
  /** The database of unqualified names. */
  readonly database: string;
  /** The rights of the user. */
  rights(snapshot: Snapshot): Rights;
  /**
   * The credential that the statement's password is checked against; the same for every attempt of the
   * statement.
   * @throws TesseraError NOT_SUPPORTED if the engine has no passwords
   */
  credential(password: string): Promise<Credential>;
}
