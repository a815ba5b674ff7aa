import type { Credential, Snapshot } from '@tessera/catalog';
import type { Rights } from '../rights/rights.ts';

/** What statements about users, roles and grants have to work with. */
export interface AccessContext {
  /** Who sent the statement. */
  readonly user: string;
  /** Where unqualified names are looked up. */
  readonly database: string;
  /** The rights of the user. */
  rights(snapshot: Snapshot): Rights;
  /**
   * What the password of the statement is checked against; the same each time that the statement is tried.
   * @throws TesseraError NOT_SUPPORTED where the engine has no passwords
   */
  credential(password: string): Promise<Credential>;
}
