import type { CatalogObject, PrincipalObject, Privilege, Snapshot } from '@tessera/catalog';
import { type SqlLocation, TesseraError } from '@tessera/common';
import { quoteIdentifier } from '@tessera/sql';
import type { Rights } from '../rights/rights.ts';
import { visibleTo } from '../rights/visible.ts';

/** The objects that have grants. */
export type SecuredObject = Exclude<CatalogObject, PrincipalObject>;

/** A privilege that a statement requires. */
export type Requirement = { readonly location?: SqlLocation | undefined } & (
  | { readonly kind: 'privilege'; readonly privilege: Privilege; readonly object: SecuredObject }
  /** Requires any privilege on the object, in order to know about it. */
  | { readonly kind: 'visible'; readonly object: SecuredObject }
  | { readonly kind: 'engine privilege'; readonly privilege: Privilege }
  | { readonly kind: 'ownership'; readonly object: CatalogObject }
  /** Requires being the user or role, or a member of it. */
  | { readonly kind: 'membership'; readonly of: string }
  /** Without an object, the privilege is on the engine. */
  | { readonly kind: 'grant option'; readonly privilege: Privilege; readonly object?: SecuredObject }
  | { readonly kind: 'admin option'; readonly role: string }
  /** Requires membership in `system_admin`; `toDo` completes a sentence. */
  | { readonly kind: 'administrator'; readonly toDo: string }
  /** Requires one of them; a refusal mentions the first. */
  | { readonly kind: 'one of'; readonly requirements: readonly [Requirement, ...Requirement[]] }
);

export function isMet(requirement: Requirement, rights: Rights, snapshot: Snapshot): boolean {
  if (rights.isAdministrator) return true;
  switch (requirement.kind) {
    case 'privilege':
      return rights.may(requirement.privilege, requirement.object);
    case 'visible':
      return visibleTo(rights, snapshot)(requirement.object);
    case 'engine privilege':
      return rights.mayOnEngine(requirement.privilege);
    case 'ownership':
      return rights.isOwner(requirement.object);
    case 'membership':
      return rights.isMemberOf(requirement.of);
    case 'grant option':
      return requirement.object === undefined
        ? rights.mayGrantOnEngine(requirement.privilege)
        : rights.mayGrant(requirement.privilege, requirement.object);
    case 'admin option': {
      const role = snapshot.principal(requirement.role);
      return role !== undefined && rights.hasAdminOption(role.id);
    }
    case 'administrator':
      return false;
    case 'one of':
      return requirement.requirements.some((one) => isMet(one, rights, snapshot));
  }
}

/**
 * The same requirement on the objects of another version of the catalog; undefined if they do not exist
 * there.
 */
export function inSnapshot(requirement: Requirement, snapshot: Snapshot): Requirement | undefined {
  if (requirement.kind === 'one of') {
    const [first, ...more] = requirement.requirements.flatMap((one) => inSnapshot(one, snapshot) ?? []);
    return first && { ...requirement, requirements: [first, ...more] };
  }
  if (!('object' in requirement) || requirement.object === undefined) return requirement;
  const object = snapshot.object(requirement.object.id);
  return object?.kind === requirement.object.kind ? ({ ...requirement, object } as Requirement) : undefined;
}

/**
 * The user whose privileges are required if it is not the sender of the statement: the owner of the view that
 * mentions the object.
 */
export interface OnBehalf {
  readonly view: string;
}

/**
 * The error FORBIDDEN with the missing privilege, where it was required, and the statement that would grant
 * it.
 */
export function refusal(requirement: Requirement, rights: Rights, onBehalf?: OnBehalf): TesseraError {
  const message = `${asker(rights, onBehalf)} ${missing(requirement)}`;
  const { location } = requirement;
  return TesseraError.of('FORBIDDEN', { message }, { location, resolution: remedy(requirement, rights) });
}

function asker({ name, principal }: Rights, onBehalf: OnBehalf | undefined): string {
  const who = principal?.kind === 'role' ? `Role "${name}"` : `User "${name}"`;
  return onBehalf === undefined ? who : `${who}, who owns view "${onBehalf.view}",`;
}

function missing(requirement: Requirement): string {
  switch (requirement.kind) {
    case 'privilege':
      return `has no ${requirement.privilege} on ${described(requirement.object)}`;
    case 'visible':
      return `has no privilege on ${described(requirement.object)}`;
    case 'engine privilege':
      return `has no ${requirement.privilege} on the engine`;
    case 'ownership':
      return `does not own ${described(requirement.object)}`;
    case 'membership':
      return `is not a member of "${requirement.of}"`;
    case 'grant option':
      return `has no grant option for ${requirement.privilege} on ${requirement.object === undefined ? 'the engine' : described(requirement.object)}`;
    case 'admin option':
      return `has no ADMIN OPTION on role "${requirement.role}"`;
    case 'administrator':
      return `is not a member of system_admin, which it takes to ${requirement.toDo}`;
    case 'one of':
      return missing(requirement.requirements[0]);
  }
}

/** Returns a hint that names the GRANT statement which would allow the request. */
function remedy(requirement: Requirement, { name }: Rights): string | undefined {
  const to = `TO ${quoteIdentifier(name)}`;
  switch (requirement.kind) {
    case 'privilege':
      return allowedBy(`GRANT ${requirement.privilege} ON ${named(requirement.object)} ${to}`);
    case 'engine privilege':
      return allowedBy(`GRANT ${requirement.privilege} ON ENGINE ${to}`);
    case 'membership':
      return allowedBy(`GRANT ROLE ${quoteIdentifier(requirement.of)} ${to}`);
    case 'grant option': {
      const on = requirement.object === undefined ? 'ENGINE' : named(requirement.object);
      return allowedBy(`GRANT ${requirement.privilege} ON ${on} ${to} WITH GRANT OPTION`);
    }
    case 'admin option':
      return allowedBy(`GRANT ROLE ${quoteIdentifier(requirement.role)} ${to} WITH ADMIN OPTION`);
    case 'ownership':
      return 'Its owner may do this, and the members of a role that owns it.';
    case 'one of':
      return remedy(requirement.requirements[0], { name } as Rights);
    case 'visible':
    case 'administrator':
      return undefined;
  }
}

const allowedBy = (statement: string): string => `Allowed by: ${statement}`;

const KINDS: Readonly<Record<CatalogObject['kind'], string>> = {
  database: 'database',
  schema: 'schema',
  table: 'table',
  view: 'view',
  external_table: 'table',
  sequence: 'sequence',
  location: 'location',
  user: 'user',
  role: 'role',
};

const described = ({ kind, name }: CatalogObject): string => `${KINDS[kind]} "${name}"`;

const named = ({ kind, name }: SecuredObject): string =>
  `${KINDS[kind].toUpperCase()} ${quoteIdentifier(name)}`;
