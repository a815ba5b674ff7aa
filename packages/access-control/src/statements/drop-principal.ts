import {
  type Action,
  BOOTSTRAP_USER,
  type CatalogChange,
  type CatalogObject,
  NO_CHANGE,
  type PrincipalObject,
  type Snapshot,
} from '@tessera/catalog';
import { fail } from '@tessera/common';
import { type DropPrincipalStatement, quoteIdentifier, type ReassignOwnedStatement } from '@tessera/sql';
import { visibleTo } from '../rights/visible.ts';
import type { AccessContext } from './access-context.ts';
import { isBuiltIn } from './alter-principal.ts';
import { ownedBy, requirePrincipal, requireUser } from './principals.ts';

const SHOWN = 5;

/**
 * Drops a user or role. Grants to it stay on their objects until those are altered, but have no effect: ids
 * are never reused.
 * @throws TesseraError UNDEFINED_OBJECT, WRONG_OBJECT_TYPE, DEPENDENT_OBJECTS for an owner, FORBIDDEN for the
 * executing user and for principals that the engine needs
 */
export function dropPrincipal(
  context: AccessContext,
  snapshot: Snapshot,
  { kind, principal: name, ifExists }: DropPrincipalStatement,
): CatalogChange {
  if (ifExists && snapshot.principal(name.name) === undefined) return NO_CHANGE;
  const find = kind === 'drop_user' ? requireUser : requirePrincipal;
  const principal = find(snapshot, name, context);
  const { location } = name;
  if (isBuiltIn(principal)) {
    const message = `"${principal.name}" is built in and cannot be dropped`;
    fail('FORBIDDEN', { message }, { location });
  }
  if (principal.name === context.user) {
    fail('FORBIDDEN', { message: 'Users cannot drop themselves' }, { location });
  }
  const owned = [...ownedBy(snapshot, principal.name)];
  if (owned.length > 0) {
    const visible = owned.filter(visibleTo(context.rights(snapshot), snapshot)).slice(0, SHOWN);
    const more = owned.length - visible.length;
    const names = [
      ...visible.map(called),
      ...(more > 0 ? [`${more} ${visible.length > 0 ? 'more' : 'objects'}`] : []),
    ];
    const message = `"${principal.name}" cannot be dropped: it owns ${names.join(', ')}`;
    const resolution = `REASSIGN OWNED BY ${quoteIdentifier(principal.name)} TO … transfers these objects to another owner.`;
    fail('DEPENDENT_OBJECTS', { message }, { location, resolution });
  }
  return { actions: [{ kind: 'drop', id: principal.id }] };
}

/**
 * Reassigns ownership in all databases at once. Built-in objects keep their owner, and no principal becomes
 * its own owner.
 */
export function reassignOwned(
  context: AccessContext,
  snapshot: Snapshot,
  { from, to }: ReassignOwnedStatement,
): CatalogChange {
  const owner = requirePrincipal(snapshot, to, context);
  const before = new Set(from.map((name) => requirePrincipal(snapshot, name, context).name));
  before.delete(owner.name);
  const alteredAt = new Date().toISOString();
  const objects = [...before].flatMap((name) => [...ownedBy(snapshot, name)]);
  const actions = objects.flatMap((object): Action[] => {
    if (isPrincipal(object) && isBuiltIn(object)) return [];
    const name = object.id === owner.id ? BOOTSTRAP_USER.name : owner.name;
    return [{ kind: 'alter', object: { ...object, owner: name, alteredAt } }];
  });
  return { actions };
}

const isPrincipal = (object: CatalogObject): object is PrincipalObject =>
  object.kind === 'user' || object.kind === 'role';

const called = ({ kind, name }: CatalogObject): string => `${kind.replace('_', ' ')} "${name}"`;
