import {
  ENGINE_PRIVILEGES,
  isSystemSchema,
  type Privilege,
  placeOf,
  RELATION_WORDS,
  type RelationObject,
  requireDatabase,
  requireLocation,
  requireRelation,
  requireSchema,
  requireSequence,
  type Snapshot,
} from '@tessera/catalog';
import { fail, type SqlLocation } from '@tessera/common';
import type { Granted, GrantTarget, ObjectName } from '@tessera/sql';
import type { SecuredObject } from '../authorization/requirement.ts';
import { PRIVILEGES_ON } from '../rights/privileges.ts';
export interface TargetedPrivileges {
  readonly object: SecuredObject;
  readonly privileges: readonly Privilege[];
}

type GrantedPrivileges = Extract<Granted, { kind: 'privileges' }>;

/**
 * The objects of a GRANT, each with the privileges that apply to it.
 * @throws TesseraError the error of a name that does not exist; INVALID_ARGUMENT for privileges that the
 * objects do not support
 */
export function targetedPrivileges(
  snapshot: Snapshot,
  granted: GrantedPrivileges,
  database: string,
): readonly TargetedPrivileges[] {
  const { privileges, on, location } = granted;
  if (on.kind === 'all_in_schema') {
    const asked = privilegesOf(on.of, privileges, location);
    return targetObjects(snapshot, on, database).map((object) => ({
      object,
      privileges: asked.filter((privilege) => PRIVILEGES_ON[object.kind].includes(privilege)),
    }));
  }
  return targetObjects(snapshot, on, database).map((object) => ({
    object,
    privileges: privilegesOf(object.kind, privileges, location),
  }));
}

/** @throws TesseraError INVALID_ARGUMENT */
export function privilegesOf(
  kind: SecuredObject['kind'] | 'engine',
  asked: readonly Privilege[] | 'all',
  location: SqlLocation,
): readonly Privilege[] {
  const known: readonly Privilege[] = kind === 'engine' ? ENGINE_PRIVILEGES : PRIVILEGES_ON[kind];
  if (asked === 'all') return known;
  const foreign = asked.find((privilege) => !known.includes(privilege));
  if (foreign === undefined) return asked;
  const what = kind.replace('_', ' ');
  const message = `${foreign} is not a privilege on ${/^[aeiou]/.test(what) ? 'an' : 'a'} ${what}; there ${
    known.length === 1 ? 'is' : 'are'
  } ${known.join(', ')}`;
  return fail('INVALID_ARGUMENT', { message }, { location });
}

/** The objects that a statement names; empty for the engine. */
export function targetObjects(
  snapshot: Snapshot,
  on: GrantTarget,
  database: string,
): readonly SecuredObject[] {
  switch (on.kind) {
    case 'engine':
      return [];
    case 'database':
      return on.names.map((name) => namedDatabase(snapshot, name));
    case 'schema':
      return on.names.map((name) => namedSchema(snapshot, name, database));
    case 'sequence':
      return on.names.map((name) => requireSequence(snapshot, placeOf(snapshot, name, database)));
    case 'location':
      return on.names.map(({ parts }) => {
        const [name = '', databaseName = database] = [...parts].reverse();
        return requireLocation(snapshot, databaseName, name);
      });
    case 'all_in_schema':
      return on.schemas
        .flatMap((name) => snapshot.relations(namedSchema(snapshot, name, database).id))
        .filter((relation) => on.of === 'table' || relation.kind === 'view');
    default:
      return on.names.map((name) => namedRelation(snapshot, on.kind, name, database));
  }
}

function namedDatabase(snapshot: Snapshot, { parts, location }: ObjectName): SecuredObject {
  const [name = '', ...more] = parts;
  if (more.length > 0)
    fail('SYNTAX_ERROR', { message: 'The name of a database has only one part' }, { location });
  return requireDatabase(snapshot, name, location);
}

/** `[database.]schema` */
function namedSchema(snapshot: Snapshot, { parts, location }: ObjectName, database: string) {
  const [name = '', databaseName = database] = [...parts].reverse();
  const owner = requireDatabase(snapshot, databaseName, location);
  if (isSystemSchema(name)) fail('FORBIDDEN', { message: `${name} can be read by every user` }, { location });
  return requireSchema(snapshot, owner, name, location);
}

function namedRelation(
  snapshot: Snapshot,
  kind: 'table' | 'view',
  name: ObjectName,
  database: string,
): RelationObject {
  const found = requireRelation(snapshot, placeOf(snapshot, name, database));
  if (kind === 'table' || found.kind === 'view') return found;
  const message = `"${found.name}" is ${RELATION_WORDS[found.kind]}, not a view`;
  return fail('WRONG_OBJECT_TYPE', { message }, { location: name.location });
}
