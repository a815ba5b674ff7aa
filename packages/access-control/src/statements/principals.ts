import type { CatalogObject, PrincipalObject, RoleObject, Snapshot, UserObject } from '@tessera/catalog';
import { fail, nearestName, type SqlLocation } from '@tessera/common';
import type { PrincipalName } from '@tessera/sql';
import type { Rights } from '../rights/rights.ts';
import { visibleTo } from '../rights/visible.ts';

/** Keywords that denote the executing user. */
const WHO_ASKS: readonly string[] = ['current_user', 'session_user', 'current_role'];
/** Reserved names; `SET ROLE none` means no role. */
const RESERVED: readonly string[] = [...WHO_ASKS, 'none'];

interface Asking {
  readonly user: string;
  /** If undefined, everybody is visible. */
  rights?(snapshot: Snapshot): Rights;
}

/**
 * The user or role with a name; `current_user` and similar keywords denote the executing user.
 * @throws TesseraError UNDEFINED_OBJECT
 */
export function requirePrincipal(
  snapshot: Snapshot,
  { name, location }: { readonly name: string; readonly location?: SqlLocation },
  asking: Asking,
): PrincipalObject {
  const meant = WHO_ASKS.includes(name) ? asking.user : name;
  const found = snapshot.principal(meant);
  if (found !== undefined) return found;
  const rights = asking.rights?.(snapshot);
  const known = snapshot.principals().filter(rights ? visibleTo(rights, snapshot) : () => true);
  const nearest = nearestName(
    meant,
    known.map((principal) => principal.name),
  );
  return fail('UNDEFINED_OBJECT', { what: 'User or role', name: meant, nearest }, { location });
}

/** @throws TesseraError UNDEFINED_OBJECT, WRONG_OBJECT_TYPE for a role */
export function requireUser(snapshot: Snapshot, name: PrincipalName, asking: Asking): UserObject {
  const found = requirePrincipal(snapshot, name, asking);
  if (found.kind === 'user') return found;
  const message = `"${found.name}" is a role, not a user`;
  return fail('WRONG_OBJECT_TYPE', { message }, { location: name.location });
}

/** @throws TesseraError UNDEFINED_OBJECT, WRONG_OBJECT_TYPE for a user */
export function requireRole(snapshot: Snapshot, name: PrincipalName, asking: Asking): RoleObject {
  const found = requirePrincipal(snapshot, name, asking);
  if (found.kind === 'role') return found;
  const message = `"${found.name}" is a user, not a role`;
  return fail('WRONG_OBJECT_TYPE', { message }, { location: name.location });
}

/** @throws TesseraError INVALID_ARGUMENT for a reserved name, DUPLICATE_OBJECT */
export function requireFreeName(
  snapshot: Snapshot,
  { name, location }: { readonly name: string; readonly location?: SqlLocation | undefined },
): void {
  if (RESERVED.includes(name)) {
    fail('INVALID_ARGUMENT', { message: `"${name}" cannot be the name of a user or role` }, { location });
  }
  const taken = snapshot.principal(name);
  if (taken === undefined) return;
  fail('DUPLICATE_OBJECT', { what: taken.kind === 'user' ? 'User' : 'Role', name }, { location });
}

/** Every object of the catalog, each before the objects that it contains. */
export function* allObjects(snapshot: Snapshot): Generator<CatalogObject> {
  yield* snapshot.principals();
  for (const database of snapshot.databases()) {
    yield database;
    yield* snapshot.locations(database.id);
    for (const schema of snapshot.schemas(database.id)) {
      yield schema;
      yield* snapshot.relations(schema.id);
      yield* snapshot.sequences(schema.id);
    }
  }
}

/** The objects that a user or role owns, except itself. */
export function* ownedBy(snapshot: Snapshot, owner: string): Generator<CatalogObject> {
  for (const object of allObjects(snapshot)) {
    const isItself = (object.kind === 'user' || object.kind === 'role') && object.name === owner;
    if (object.owner === owner && !isItself) yield object;
  }
}
