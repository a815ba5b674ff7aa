import type { Privilege, Snapshot } from '@tessera/catalog';
import { TesseraError } from '@tessera/common';
import type { Statement } from '@tessera/sql';
import { type Rights, rightsOf, unlimitedRights } from '../rights/rights.ts';
import { type Visible, visibleTo } from '../rights/visible.ts';
import { inSnapshot, isMet, type OnBehalf, type Requirement, refusal } from './requirement.ts';
import { statementRequirements } from './statement-requirements.ts';

export interface AuthorizerOptions {
  /** False: nobody is asked who they are, and everybody may do everything. */
  readonly checksPrivileges: boolean;
  /** The newest version of the catalog that is known without asking anyone. */
  readonly current: () => Snapshot | undefined;
  /** The newest there is; undefined where the node keeps no tables. */
  readonly latest: () => Promise<Snapshot | undefined>;
}

/** Who sent a statement, and which database its names belong to. */
export interface Asker {
  readonly user: string;
  readonly database: string;
}

/** Whose a query or transaction is. */
export interface Sender {
  readonly user: string;
  /** The ULID of the user's catalog object; undefined where nobody is authenticated. */
  readonly userId?: string | undefined;
}

/** Decides by the catalog what a user may do. What it does not allow it refuses with FORBIDDEN. */
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
   * To be called before each request: users may be disabled, dropped or made anew while they are connected, and rights taken
   * away, at other nodes too. What is `current` is the newest there was at that moment, or newer.
   * @throws TesseraError UNAUTHENTICATED, METADATA_UNAVAILABLE
   */
  async admit(request: Sender): Promise<void> {
    if (!this.checksPrivileges) return;
    const snapshot = await this.#latest();
    if (snapshot === undefined) throw notAdmitted(request.user, 'is not known: this node keeps no catalog');
    this.admitIn(snapshot, request);
  }

  /** The same, by what is known already: between the statements of one request. @throws TesseraError UNAUTHENTICATED */
  readmit(request: Sender): void {
    const current = this.#current();
    if (current !== undefined) this.admitIn(current, request);
  }

  /** The same for the version of the catalog that a statement reads. @throws TesseraError UNAUTHENTICATED */
  admitIn(snapshot: Snapshot, { user, userId }: Sender): void {
    if (!this.checksPrivileges) return;
    const found = snapshot.principal(user);
    if (found?.kind !== 'user') throw notAdmitted(user, 'does not exist');
    if (userId !== undefined && found.id !== userId) throw notAdmitted(user, 'was dropped and made anew');
    if (!found.enabled) throw notAdmitted(user, 'is disabled');
  }

  rights(user: string, snapshot: Snapshot): Rights {
    return this.checksPrivileges ? rightsOf(snapshot, user) : unlimitedRights(user);
  }

  /** What the user may know of. */
  visible(user: string, snapshot: Snapshot): Visible {
    return visibleTo(this.rights(user, snapshot), snapshot);
  }

  /** Whether `user` may do to a query or transaction of `owner` what its owner may: with an engine-wide privilege for others'. */
  isOwnOrAny(user: string, owner: Sender, privilege: 'CANCEL ANY QUERY' | 'READ ANY HISTORY'): boolean {
    return this.#isSender(user, owner) || this.mayOnEngine(user, privilege);
  }

  /** Not who has the name of one that is gone. */
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

  /** Whether the statement needs rights that `authorize` asks for. */
  concerns(statement: Statement): boolean {
    return this.checksPrivileges && statementRequirements(statement) !== undefined;
  }

  /** @throws TesseraError FORBIDDEN; what is wrong with a name, told without what the user may not see */
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
   * Met in the snapshot; and in the newest one, so far as the objects are still there: what is taken away is gone at once, also
   * for a transaction that began before.
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
