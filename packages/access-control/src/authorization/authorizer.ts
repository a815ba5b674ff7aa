import type { Privilege, Snapshot } from '@tessera/catalog';
import { TesseraError } from '@tessera/common';
import type { Statement } from '@tessera/sql';
import { type Rights, rightsOf, unlimitedRights } from '../rights/rights.ts';
import { type Visible, visibleTo } from '../rights/visible.ts';
import { inSnapshot, isMet, type OnBehalf, type Requirement, refusal } from './requirement.ts';
import { statementRequirements } from './statement-requirements.ts';

export interface AuthorizerOptions {
  /** False if authentication is off; every user may then do everything. */
  readonly checksPrivileges: boolean;
  /** The newest version of the catalog that is known without a request. */
  readonly current: () => Snapshot | undefined;
  /** The newest version of the catalog; undefined if the node keeps no tables. */
  readonly latest: () => Promise<Snapshot | undefined>;
}

/** The user of a statement, and the database of its unqualified names. */
export interface Asker {
  readonly user: string;
  readonly database: string;
}

/** The user of a query or transaction. */
export interface Sender {
  readonly user: string;
  /** The ULID of the user's catalog object; undefined if authentication is off. */
  readonly userId?: string | undefined;
}

/** Decides by the catalog what a user may do, and refuses everything else with FORBIDDEN. */
export class Authorizer {
  readonly checksPrivileges: boolean;
  readonly #current: AuthorizerOptions['current'];
  readonly #latest: AuthorizerOptions['latest'];

  constructor({ checksPrivileges, current, latest }: AuthorizerOptions) {
    this.checksPrivileges = checksPrivileges;
    this.#current = current;
    this.#latest = latest;
  }

  /**
   * Must be called before each request: users may be disabled, dropped or recreated while they are connected,
   * and privileges may be revoked, on other nodes too. Afterwards `current` is at least as new as the newest
   * version at that moment.
   * @throws TesseraError UNAUTHENTICATED, METADATA_UNAVAILABLE
   */
  async admit(request: Sender): Promise<void> {
    if (!this.checksPrivileges) return;
    const snapshot = await this.#latest();
    if (snapshot === undefined) throw notAdmitted(request.user, 'is not known: this node keeps no catalog');
    this.admitIn(snapshot, request);
  }

  /**
   * The same check by the known version, between the statements of one request. @throws TesseraError
   * UNAUTHENTICATED
   */
  readmit(request: Sender): void {
    const current = this.#current();
    if (current !== undefined) this.admitIn(current, request);
  }

  /**
   * The same check for the version of the catalog that a statement reads. @throws TesseraError
   * UNAUTHENTICATED
   */
  admitIn(snapshot: Snapshot, { user, userId }: Sender): void {
    if (!this.checksPrivileges) return;
    const found = snapshot.principal(user);
    if (found?.kind !== 'user') throw notAdmitted(user, 'does not exist');
    if (userId !== undefined && found.id !== userId) throw notAdmitted(user, 'was dropped and recreated');
    if (!found.enabled) throw notAdmitted(user, 'is disabled');
  }

  rights(user: string, snapshot: Snapshot): Rights {
    return this.checksPrivileges ? rightsOf(snapshot, user) : unlimitedRights(user);
  }

  /** The objects that the user may know about. */
  visible(user: string, snapshot: Snapshot): Visible {
    return visibleTo(this.rights(user, snapshot), snapshot);
  }

  /**
   * Whether `user` may treat a query or transaction of `owner` like its owner, for which an engine-wide
   * privilege is needed if they differ.
   */
  isOwnOrAny(user: string, owner: Sender, privilege: 'CANCEL ANY QUERY' | 'READ ANY HISTORY'): boolean {
    return this.#isSender(user, owner) || this.mayOnEngine(user, privilege);
  }

  /** Whether a user is the sender; a recreated user with the same name is not. */
  #isSender(name: string, { user, userId }: Sender): boolean {
    return name === user && (userId === undefined || this.#current()?.principal(name)?.id === userId);
  }

  isAdministrator(user: string): boolean {
    if (!this.checksPrivileges) return true;
    const current = this.#current();
    return current !== undefined && rightsOf(current, user).isAdministrator;
  }

  mayOnEngine(user: string, privilege: Privilege): boolean {
    if (!this.checksPrivileges) return true;
    const current = this.#current();
    return current !== undefined && rightsOf(current, user).mayOnEngine(privilege);
  }

  /** Whether `authorize` has requirements for the statement. */
  concerns(statement: Statement): boolean {
    return this.checksPrivileges && statementRequirements(statement) !== undefined;
  }

  /**
   * @throws TesseraError FORBIDDEN; the error of an invalid name, without mentioning objects that the user
   * may not see
   */
  authorize(statement: Statement, asker: Asker, snapshot: Snapshot): void {
    if (!this.checksPrivileges) return;
    const requirements = statementRequirements(statement);
    if (requirements === undefined) return;
    this.admitIn(snapshot, asker);
    const isVisible = this.visible(asker.user, snapshot);
    for (const requirement of requirements({ ...asker, snapshot, isVisible }))
      this.require(requirement, asker.user, snapshot);
  }

  /**
   * Checks a requirement in the snapshot, and also in the newest version for objects that still exist there:
   * a revoked privilege is lost at once, even for a transaction that began before.
   * @throws TesseraError FORBIDDEN
   */
  require(requirement: Requirement, user: string, snapshot: Snapshot, onBehalf?: OnBehalf): void {
    if (!this.checksPrivileges) return;
    this.#requireIn(requirement, user, snapshot, onBehalf);
    const current = this.#current();
    if (current === undefined || current.version <= snapshot.version) return;
    const now = inSnapshot(requirement, current);
    if (now !== undefined) this.#requireIn(now, user, current, onBehalf);
  }

  #requireIn(requirement: Requirement, user: string, snapshot: Snapshot, onBehalf?: OnBehalf): void {
    const rights = rightsOf(snapshot, user);
    if (!isMet(requirement, rights, snapshot)) throw refusal(requirement, rights, onBehalf);
  }
}

const notAdmitted = (user: string, why: string): TesseraError =>
  TesseraError.of('UNAUTHENTICATED', { message: `User "${user}" ${why}` });
