import {
  type Action,
  type CatalogChange,
  type ObjectId,
  type Privilege,
  PUBLIC_ROLE,
  type Snapshot,
} from '@tessera/catalog';
import { fail, TesseraError } from '@tessera/common';
import type { Granted, GrantStatement, PrincipalName, RevokeStatement } from '@tessera/sql';
import { type Rights, rightsOf } from '../rights/rights.ts';
import type { AccessContext } from './access-context.ts';
import { privilegesOf, targetedPrivileges } from './grant-targets.ts';
import { type GrantedRight, withoutRights, withRight } from './granted-rights.ts';
import { alterEngineGrants, alterGrants, grantorFacts, rightsOn, rightsOnEngine } from './holders.ts';
import { requirePrincipal } from './principals.ts';

type OfPrivileges<T> = T & { readonly granted: Extract<Granted, { kind: 'privileges' }> };
type Right = GrantedRight<Privilege>;

/** The privileges on one object or on the engine. */
interface Held {
  readonly rights: readonly Right[];
  readonly privileges: readonly Privilege[];
  /** Whether a user with these rights may grant without a grant option. */
  rules(rights: Rights): boolean;
  alter(rights: readonly Right[]): readonly Action[];
}

/** @throws TesseraError UNDEFINED_OBJECT and relatives, INVALID_ARGUMENT */
export function grantPrivileges(
  context: AccessContext,
  snapshot: Snapshot,
  { granted, to, withOption }: OfPrivileges<GrantStatement>,
): CatalogChange {
  const grantees = granteesOf(context, snapshot, to);
  if (withOption && grantees.has(PUBLIC_ROLE.id)) {
    const message = 'WITH GRANT OPTION cannot be granted to public, because every user would have it';
    fail('INVALID_ARGUMENT', { message }, { location: to[0]?.location });
  }
  const asking = context.rights(snapshot);
  const actions = heldRights(context, snapshot, granted).flatMap((held) => {
    let { rights } = held;
    for (const right of held.privileges) {
      const grantor = grantorOf(snapshot, asking, held, right);
      for (const grantee of grantees)
        rights = withRight(rights, { right, grantee, grantable: withOption, grantor });
    }
    return held.alter(rights);
  });
  return { actions };
}

/**
 * @throws TesseraError also DEPENDENT_OBJECTS without CASCADE, if users who lose the option have granted
 * privileges to others
 */
export function revokePrivileges(
  context: AccessContext,
  snapshot: Snapshot,
  { granted, from, optionOnly, cascade }: OfPrivileges<RevokeStatement>,
): CatalogChange {
  const grantees = granteesOf(context, snapshot, from);
  const asking = context.rights(snapshot);
  const actions = heldRights(context, snapshot, granted).flatMap((held) => {
    const rules = (name: string) => held.rules(rightsOf(snapshot, name));
    const isGrantor = (name: string) => held.rules(asking) || asking.isMemberOf(name);
    const revoked = { rights: new Set(held.privileges), grantees, optionOnly, isGrantor };
    const { rights, dependents } = withoutRights(held.rights, revoked, grantorFacts(snapshot, rules));
    if (!cascade) refuseDependents(snapshot, dependents, (right) => right);
    return held.alter(rights);
  });
  return { actions };
}

const granteesOf = (
  context: AccessContext,
  snapshot: Snapshot,
  names: readonly PrincipalName[],
): ReadonlySet<ObjectId> => new Set(names.map((name) => requirePrincipal(snapshot, name, context).id));

function heldRights(
  { database }: AccessContext,
  snapshot: Snapshot,
  granted: OfPrivileges<GrantStatement>['granted'],
): readonly Held[] {
  if (granted.on.kind === 'engine') {
    return [
      {
        rights: rightsOnEngine(snapshot),
        privileges: privilegesOf('engine', granted.privileges, granted.location),
        rules: ({ isAdministrator }) => isAdministrator,
        alter: (rights) => alterEngineGrants(snapshot, rights),
      },
    ];
  }
  const objects = new Map(
    targetedPrivileges(snapshot, granted, database).map((target) => [target.object.id, target]),
  );
  return [...objects.values()].map(({ object, privileges }) => ({
    rights: rightsOn(snapshot, object),
    privileges,
    rules: (rights) => rights.isOwner(object),
    alter: (rights) => alterGrants(object, rights),
  }));
}

/**
 * The grantor of a privilege: the executing user, or the role that provides the grant option, so that the
 * grant is revoked together with it.
 */
function grantorOf(snapshot: Snapshot, asking: Rights, held: Held, privilege: Privilege): string {
  if (held.rules(asking)) return asking.name;
  const options = held.rights.filter(({ right, grantable }) => right === privilege && grantable);
  if (options.some(({ grantee }) => grantee === asking.principal?.id)) return asking.name;
  const role = options.find(({ grantee }) => asking.grantees.has(grantee))?.grantee;
  return (role && snapshot.object(role)?.name) ?? asking.name;
}

/** @throws TesseraError DEPENDENT_OBJECTS if a grant would be revoked that the statement does not name */
export function refuseDependents<R extends string>(
  snapshot: Snapshot,
  dependents: readonly GrantedRight<R>[],
  called: (right: R) => string,
): void {
  const [first] = dependents;
  if (first === undefined) return;
  const grantee = snapshot.object(first.grantee)?.name;
  const others = dependents.length === 1 ? '' : ` and ${dependents.length - 1} more`;
  const message = `"${first.grantor}" granted ${called(first.right)} to "${grantee}"${others}; CASCADE revokes that too`;
  throw TesseraError.of('DEPENDENT_OBJECTS', { message });
}
