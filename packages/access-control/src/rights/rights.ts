import type { CatalogObject, ObjectId, PrincipalObject, Privilege, Snapshot } from '@tessera/catalog';
import { ADMIN_ROLE, PUBLIC_ROLE } from '@tessera/catalog';

/** The rights of one user or role in one version of the catalog. */
export interface Rights {
  /** The name of the user or role. */
  readonly name: string;
  /** Undefined if no such user or role exists. */
  readonly principal: PrincipalObject | undefined;
  /** Whether it is a member of `system_admin`, and may therefore do everything. */
  readonly isAdministrator: boolean;
  /** Whether it is the user or role of that name, or a member of it; `public` includes everybody. */
  isMemberOf(name: string): boolean;
  /** Its own id and those of its roles, as grants refer to them. */
  readonly grantees: ReadonlySet<ObjectId>;
  isOwner(object: Pick<CatalogObject, 'owner'>): boolean;
  /** Whether it has the privilege, by ownership or by a grant on the object itself. */
  may(privilege: Privilege, object: CatalogObject): boolean;
  /** Whether any privilege was granted on the object, or it is owned. */
  mayAnything(object: CatalogObject): boolean;
  mayGrant(privilege: Privilege, object: CatalogObject): boolean;
  /** Whether it has the privilege on the engine. */
  mayOnEngine(privilege: Privilege): boolean;
  mayGrantOnEngine(privilege: Privilege): boolean;
  /** Whether it may grant membership in the role: by its own ADMIN OPTION, or that of one of its roles. */
  hasAdminOption(role: ObjectId): boolean;
}

/**
 * Keyed by the list of users and roles, which is the same object in all versions of the catalog that do not
 * change them.
 */
const known = new WeakMap<readonly PrincipalObject[], KnownPrincipals>();

interface KnownPrincipals {
  readonly byId: ReadonlyMap<ObjectId, PrincipalObject>;
  readonly rights: Map<string, Rights>;
}

/** The rights of the user or role with the name. If there is none, it only has the rights of everybody. */
export function rightsOf(snapshot: Pick<Snapshot, 'principals' | 'principal'>, name: string): Rights {
  const principals = snapshot.principals();
  let entry = known.get(principals);
  if (entry === undefined) {
    entry = { byId: new Map(principals.map((principal) => [principal.id, principal])), rights: new Map() };
    known.set(principals, entry);
  }
  const found = entry.rights.get(name);
  if (found !== undefined) return found;
  const rights = new GrantedRights(name, snapshot.principal(name), entry.byId);
  // Names that clients invent are not cached.
  if (rights.principal !== undefined) entry.rights.set(name, rights);
  return rights;
}

class GrantedRights implements Rights {
  readonly name: string;
  readonly principal: PrincipalObject | undefined;
  readonly isAdministrator: boolean;
  readonly grantees: ReadonlySet<ObjectId>;
  readonly #names: ReadonlySet<string>;
  readonly #engine = new Map<Privilege, { readonly grantable: boolean }>();
  readonly #adminOf = new Set<ObjectId>();

  constructor(
    name: string,
    principal: PrincipalObject | undefined,
    byId: ReadonlyMap<ObjectId, PrincipalObject>,
  ) {
    this.name = name;
    this.principal = principal;
    const enabled = closure([principal?.id, PUBLIC_ROLE.id], byId);
    this.grantees = new Set(enabled.map(({ id }) => id));
    this.#names = new Set(enabled.map((one) => one.name));
    this.isAdministrator = this.grantees.has(ADMIN_ROLE.id);
    for (const { id, grants = [], memberOf } of enabled) {
      for (const { privilege, grantee, grantable } of grants) {
        if (grantee !== id) continue;
        this.#engine.set(privilege, { grantable: grantable || this.mayGrantOnEngine(privilege) });
      }
      for (const { role, admin } of memberOf) if (admin) this.#adminOf.add(role);
    }
  }

  isMemberOf(name: string): boolean {
    return this.isAdministrator || this.#names.has(name);
  }

  isOwner({ owner }: Pick<CatalogObject, 'owner'>): boolean {
    return this.isMemberOf(owner);
  }

  may(privilege: Privilege, object: CatalogObject): boolean {
    if (this.isOwner(object)) return true;
    return this.#grantsOn(object).some((grant) => grant.privilege === privilege);
  }

  mayAnything(object: CatalogObject): boolean {
    return this.isOwner(object) || this.#grantsOn(object).length > 0;
  }

  mayGrant(privilege: Privilege, object: CatalogObject): boolean {
    if (this.isOwner(object)) return true;
    return this.#grantsOn(object).some((grant) => grant.privilege === privilege && grant.grantable);
  }

  mayOnEngine(privilege: Privilege): boolean {
    return this.isAdministrator || this.#engine.has(privilege);
  }

  mayGrantOnEngine(privilege: Privilege): boolean {
    return this.isAdministrator || this.#engine.get(privilege)?.grantable === true;
  }

  hasAdminOption(role: ObjectId): boolean {
    return this.isAdministrator || this.#adminOf.has(role);
  }

  /** Grants that users and roles hold themselves are privileges on the engine. */
  #grantsOn(object: CatalogObject) {
    if (object.kind === 'user' || object.kind === 'role') return [];
    return object.grants?.filter(({ grantee }) => this.grantees.has(grantee)) ?? [];
  }
}

/** The roles, and transitively the roles of these; each once, even if memberships were circular. */
function closure(
  ids: readonly (ObjectId | undefined)[],
  byId: ReadonlyMap<ObjectId, PrincipalObject>,
): readonly PrincipalObject[] {
  const reached = new Map<ObjectId, PrincipalObject>();
  const waiting = [...ids];
  while (waiting.length > 0) {
    const id = waiting.pop();
    const principal = id && byId.get(id);
    if (principal === undefined || reached.has(principal.id)) continue;
    reached.set(principal.id, principal);
    waiting.push(...principal.memberOf.map(({ role }) => role));
  }
  return [...reached.values()];
}

/** The rights of every user if authentication is off. */
export const unlimitedRights = (name: string): Rights => ({
  name,
  principal: undefined,
  isAdministrator: true,
  grantees: new Set(),
  isMemberOf: () => true,
  isOwner: () => true,
  may: () => true,
  mayAnything: () => true,
  mayGrant: () => true,
  mayOnEngine: () => true,
  mayGrantOnEngine: () => true,
  hasAdminOption: () => true,
});
